// Answers as files to keep.

const COLUMNS = ["entity", "label", "probability", "known", "distance"];

const cell = (value) => {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const toCsv = (answers) =>
  [COLUMNS, ...answers.map((answer) => COLUMNS.map((column) => answer[column]))]
    .map((row) => `${row.map(cell).join(",")}\r\n`)
    .join("");

export function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
