// The server's answers, and its refusals as errors that know what went wrong.

const TOKEN = "q2b-token";

export class ApiError extends Error {
  constructor(status, { type, message, position = null, suggestions = [] }) {
    super(message);
    Object.assign(this, { status, type, position, suggestions });
  }
}

export const setToken = (token) => sessionStorage.setItem(TOKEN, token);

export const get = (path, options) => call(path, { ...options, method: "GET" });

export const post = (path, body, options) =>
  call(path, { ...options, method: "POST", body: JSON.stringify(body) });

async function call(path, options) {
  const headers = { Accept: "application/json" };
  if (options.body) headers["Content-Type"] = "application/json";
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(`api/${path}`, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { type: "Unreachable", message: "The server cannot be reached." });
  }
  const document = await response.json().catch(() => null);
  if (response.ok && document !== null) return document;
  const error = document?.error ?? {
    type: "Error",
    message: `The server answered with an error (${response.status}).`,
  };
  throw new ApiError(response.status, error);
}
