"""The page as its visitors meet it, in Chromium."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

PHONE = {"width": 390, "height": 844}
BORN = "?t : child(father0, ?x) & child(mother0, ?x) & born(?x, ?t)"
CHILDREN = "#q=%3Ft+%3A+child%28mother0%2C+%3Ft%29"


def pick(page: Page, kind: str, place: int, name: str) -> None:
    """Fill a name in, at once so that it is looked for once, and click on what is offered."""
    page.get_by_role("combobox", name=kind).nth(place).fill(name)
    page.get_by_role("option", name=name, exact=False).first.click()


def answers(page: Page) -> Locator:
    return page.locator(".list li .name")


def build(page: Page) -> None:
    """Where were those born who are a child of two? Two anchors, an intersection, a step."""
    pick(page, "Relation", 0, "born")
    page.get_by_role("button", name="Turn the relation around").click()
    page.get_by_role("button", name="describe").click()
    page.get_by_role("button", name="+ Condition").first.click()
    turn = page.get_by_role("button", name="Turn the relation around")
    for place, parent in enumerate(("mother0", "father0")):
        pick(page, "Relation", place + 1, "child")
        pick(page, "Entity", place, parent)
        turn.nth(place + 1).click()


def test_a_question_is_built_asked_explained_and_drawn(open_page) -> None:
    page = open_page()
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_disabled()
    build(page)
    expect(page.get_by_label("Formula")).to_have_value(BORN)
    expect(page.get_by_label("SPARQL")).to_have_value(re.compile(r"^SELECT DISTINCT \?t WHERE {"))
    expect(page.locator(".picture .entity")).to_have_count(2)
    expect(page.get_by_text("structure ip")).to_be_visible()

    page.get_by_role("button", name="Ask", exact=True).click()
    expect(answers(page)).to_have_count(20)
    expect(answers(page).filter(has_text="city0")).to_have_count(1)

    row = page.locator(".list li").filter(has_text="city0")
    row.get_by_role("button").click()
    dialog = page.get_by_role("dialog", name="Why city0?")
    expect(dialog.locator(".reason")).to_have_attribute("data-drawn", "true")
    expect(dialog.locator(".reason canvas").first).to_be_visible()
    expect(dialog.locator(".atoms li")).to_have_count(3)
    dialog.get_by_role("button", name="Runner-up 1").click()
    expect(dialog.locator(".atoms li")).to_have_count(3)
    expect(dialog.locator(".reason")).to_have_attribute("data-drawn", "true")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    page.get_by_role("tab", name="See the boxes").click()
    expect(page.locator(".step")).to_contain_text("Step 6 of 6.")
    expect(page.locator(".drawing .box.current rect")).to_have_count(1)
    expect(page.locator(".drawing .near")).to_have_count(12)
    page.get_by_role("button", name="Step back").click()
    expect(page.locator(".step")).to_contain_text("have in common")
    page.get_by_label("Seen along").select_option("chosen")
    expect(page.locator(".drawing")).to_contain_text("dimension 1")
    page.get_by_label("First dimension").fill("7")
    page.get_by_label("First dimension").press("Enter")
    expect(page.locator(".drawing")).to_contain_text("dimension 7")


def test_a_link_leads_to_the_same_answers(open_page) -> None:
    page = open_page()
    build(page)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(answers(page)).to_have_count(20)
    page.get_by_role("button", name="Known", exact=True).click()
    expect(page.locator(".list li.predicted")).to_have_count(0)
    expect(page.locator(".list li.known").first).to_be_visible()
    shown = answers(page).all_inner_texts()

    link = page.url[page.url.index("#") :]
    other = open_page(link)
    expect(answers(other)).to_have_text(shown)
    expect(other.get_by_label("Formula")).to_have_value(BORN)
    expect(other.locator(".condition")).to_have_count(3)
    expect(other.get_by_role("button", name="Known", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )


def test_the_way_back_leads_to_the_question_before(open_page) -> None:
    page = open_page(CHILDREN)
    expect(answers(page)).to_have_count(20)
    page.get_by_label("Formula").fill("?t : lives(mother1, ?t)")
    page.get_by_label("Formula").press("Enter")
    page.wait_for_url("**lives**")
    expect(page.locator(".condition input").first).to_have_value("lives")
    page.go_back()
    expect(page.get_by_label("Formula")).to_have_value("?t : child(mother0, ?t)")
    expect(answers(page)).to_have_count(20)


def test_a_wrong_name_is_put_right_by_a_click(open_page) -> None:
    page = open_page()
    page.get_by_label("Formula").fill("?t : child(mohter0, ?t)")
    problem = page.locator(".problem")
    expect(problem).to_contain_text("unknown entity 'mohter0'")
    expect(problem.locator("pre")).to_have_text("?t : child(mohter0, ?t)\n           ^")
    problem.get_by_role("button", name="mother0", exact=True).click()
    expect(page.get_by_label("Formula")).to_have_value("?t : child(mother0, ?t)")
    expect(page.locator(".picture .entity")).to_have_text("mother0mother0")
    expect(problem).to_have_count(0)

    page.get_by_label("SPARQL").fill("SELECT ?x WHERE { <mother0> <chlid> ?x }")
    expect(problem).to_contain_text("unknown relation 'chlid'")
    problem.get_by_role("button", name="child", exact=True).click()
    expect(problem).to_have_count(0)
    expect(page.get_by_label("Formula")).to_have_value("?t : child(mother0, ?t)")


def test_either_or_and_what_cards_cannot_show(open_page) -> None:
    page = open_page()
    formula = page.get_by_label("Formula")
    formula.fill("?t : lives(?t, city0) & (child(?t, child0.0) | child(?t, 'child1.1'))")
    expect(page.locator(".problem")).to_be_visible()  # a name with a dot stands in quotes
    formula.fill("?t : lives(?t, city0) & (child(?t, 'child0.0') | child(?t, 'child1.1'))")
    expect(page.locator(".group.any .condition")).to_have_count(2)
    expect(page.locator(".picture .or")).to_have_count(1)
    page.locator(".group.any").get_by_role("button", name="all of").click()
    expect(formula).not_to_have_value(re.compile(r"\|"))
    expect(page.locator(".picture .or")).to_have_count(0)

    formula.fill("?t : child(mother0, ?x) & born(?x, ?t) & lives(?y, ?t) & child(?y, ?x)")
    expect(page.get_by_text("cards cannot show it")).to_be_visible()
    expect(page.locator(".picture .variable")).to_have_count(2)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(answers(page).first).to_be_visible()
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".condition")).to_have_count(1)


def test_answers_are_filtered_extended_and_kept(open_page, tmp_path: Path) -> None:
    page = open_page(CHILDREN)
    expect(answers(page)).to_have_count(20)
    page.get_by_role("button", name="Load more").click()
    expect(answers(page)).to_have_count(32)  # all that there is, but for mother0 herself
    page.get_by_label("Filter the answers").fill("child0")
    expect(answers(page)).to_have_count(3)
    shown = answers(page).all_inner_texts()

    def saved(kind: str) -> str:
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        download.value.save_as(tmp_path / kind)
        return (tmp_path / kind).read_text("utf-8")

    rows = list(csv.DictReader(saved("CSV").splitlines()))
    assert [row["label"] for row in rows] == shown
    document = json.loads(saved("JSON"))
    assert document["question"] == "?t : child(mother0, ?t)"
    assert [answer["label"] for answer in document["answers"]] == shown
    assert [str(answer["distance"]) for answer in document["answers"]] == [
        row["distance"] for row in rows
    ]


def test_an_example_is_asked_by_a_click(open_page) -> None:
    page = open_page()
    example = page.locator(".examples button").first
    formula = example.locator("code").inner_text()
    example.click()
    expect(answers(page).first).to_be_visible()
    expect(page.get_by_label("Formula")).to_have_value(formula)


def test_the_graph_has_a_page(open_page) -> None:
    page = open_page("#graph")
    expect(page.locator(".tiles")).to_contain_text("33")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(5)
    page.get_by_role("button", name="Relation", exact=True).click()
    expect(rows.locator("th")).to_have_text(["born", "child", "lives", "married", "raised"])
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.get_by_role("heading", name="Which things …")).to_be_visible()


def test_the_keyboard_is_enough(open_page) -> None:
    page = open_page()
    page.get_by_role("combobox", name="Relation").focus()
    page.keyboard.type("chi")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("combobox", name="Entity")).to_be_focused()
    page.keyboard.insert_text("child0.")  # at once, so that it is looked for once
    expect(page.get_by_role("option", name="child0.1")).to_be_visible()
    page.keyboard.press("ArrowDown")
    chosen = page.locator(".options .active span").inner_text()
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="Entity")).to_have_value(chosen)
    expect(page.get_by_label("Formula")).to_have_value(f"?t : child(?t, '{chosen}')")
    page.get_by_label("Formula").focus()
    page.keyboard.press("Enter")
    expect(answers(page).first).to_be_visible()
    page.locator(".list li button").first.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".reason")).to_have_attribute("data-drawn", "true")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def beyond(page: Page) -> list[str]:
    """What makes the page wider than its window."""
    return page.evaluate(
        """() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          const wide = (element) => element.getBoundingClientRect().right > clientWidth;
          const all = [...document.querySelectorAll("body *")].filter(wide);
          return scrollWidth > clientWidth ? all.map((element) => element.outerHTML) : [];
        }"""
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_of_it(open_page, scheme) -> None:
    page = open_page(CHILDREN, viewport=PHONE, color_scheme=scheme)
    expect(answers(page)).to_have_count(20)
    expect(page.locator(".picture svg")).to_be_visible()
    assert beyond(page) == []
    page.get_by_role("tab", name="See the boxes").click()
    expect(page.locator(".drawing svg")).to_be_visible()
    page.get_by_label("Seen along").select_option("chosen")
    expect(page.get_by_label("Second dimension")).to_be_visible()
    assert beyond(page) == []
    page.get_by_role("link", name="The graph").click()
    expect(page.get_by_role("table")).to_be_visible()
    assert beyond(page) == []
    red, green, blue = page.evaluate(
        "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    )[:3]
    assert (red + green + blue > 3 * 128) == (scheme == "light")


def test_what_is_typed_is_shown_as_text(open_page) -> None:
    page = open_page()
    page.get_by_label("Formula").fill("?t : child('<img src=x onerror=alert(1)>', ?t)")
    expect(page.locator(".problem p").first).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator(".problem img").count() == 0
