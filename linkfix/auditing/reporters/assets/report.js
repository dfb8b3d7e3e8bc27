/*
 * The report's behaviour; follows tree.js in one script. Everything that comes from the audit reaches the page as text
 * (textContent), never as markup.
 */
const CHUNK = 50; // findings or groups that are added at a time
const FEW = 20; // so many findings are all shown unfolded

const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const text = (number) => data.strings[number];

function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

// ---- what there is

const findings = data.findings.map((row) => {
  const [level, code, name, path, line, column, where, reference, target, message, hint, instead, certain] = row;
  return {
    level,
    line,
    column,
    code: text(code),
    name: text(name),
    path: text(path),
    where: text(where),
    reference: text(reference),
    target: text(target),
    message: text(message),
    hint: text(hint),
    instead: instead === null ? null : text(instead),
    certain,
    excerpt: row.slice(13).map(text),
    words: "",
  };
});
const causes = data.causes.map(([code, name, title, members]) => ({
  code: text(code),
  name: text(name),
  title: text(title),
  members,
}));
const rules = new Map(data.rules.map(([code, summary]) => [text(code), text(summary)]));

const words = (finding) =>
  (finding.words ||= [
    finding.path,
    finding.reference,
    finding.target,
    finding.message,
    finding.code,
    finding.name,
    finding.excerpt[1],
  ]
    .join("\n")
    .toLowerCase());
const isIn = (path, folder) => folder === "" || path.startsWith(`${folder}/`);

/** The findings by page, as `causes` has them by cause; a page has no code. */
function pages() {
  const groups = new Map();
  findings.forEach(({ path }, index) => {
    if (!groups.has(path)) groups.set(path, { code: "", name: "", title: path, members: [] });
    groups.get(path).members.push(index);
  });
  return [...groups.values()];
}
const groupings = { cause: causes, page: pages() };

// ---- the view, which the URL's fragment holds

const NOTHING = { q: "", level: "", rule: "", folder: "", by: "cause", size: "pages" };
let view = { ...NOTHING };
let typing = 0; // the timer that waits for the next letter of a search

/** Levels as the view has them: "" for all, and what `none` says for none. */
const levelsOf = (levels, none) => (levels.length === data.levels.length ? "" : levels.join(",") || none);

function readFragment() {
  const given = new URLSearchParams(location.hash.slice(1));
  view = Object.fromEntries(Object.entries(NOTHING).map(([key, value]) => [key, given.get(key) ?? value]));
  if (view.level !== "none")
    view.level = levelsOf(
      data.levels.filter((level) => view.level.split(",").includes(level)),
      "",
    );
  if (![...$("rule").options].some((option) => option.value === view.rule)) view.rule = "";
  if (!folders.has(view.folder)) view.folder = "";
  if (view.by !== "page") view.by = "cause";
  if (view.size !== "links") view.size = "pages";
}

function writeFragment(step) {
  const chosen = Object.entries(view).filter(([key, value]) => value !== NOTHING[key]);
  const fragment = new URLSearchParams(chosen).toString();
  if (fragment === location.hash.slice(1)) return;
  history[step ? "pushState" : "replaceState"](null, "", `#${fragment}`);
}

function showControls() {
  if ($("search").value !== view.q) $("search").value = view.q;
  const chosen = view.level.split(",");
  for (const box of $("levels").querySelectorAll("input"))
    box.checked = view.level === "" || chosen.includes(box.value);
  for (const key of ["rule", "folder", "by", "size"]) $(key).value = view[key];
}

/** Take the view `changes`, show it, and keep it; `step`: one that the browser's Back button undoes. */
function change(changes, step = true) {
  clearTimeout(typing);
  Object.assign(view, changes);
  writeFragment(step);
  showAll();
}

function showAll() {
  showControls();
  showFindings();
  showMap();
}

// ---- the findings

const opened = new Map(); // group -> whether its reader unfolded or folded it

function matches() {
  const asked = view.q.toLowerCase().split(/\s+/).filter(Boolean);
  const levels = view.level.split(",");
  const shown = data.levels.map((level) => view.level === "" || levels.includes(level));
  return findings.map(
    (finding) =>
      shown[finding.level] &&
      (view.rule === "" || finding.code === view.rule) &&
      isIn(finding.path, view.folder) &&
      asked.every((word) => words(finding).includes(word)),
  );
}

function showFindings() {
  const hits = matches();
  const groups = groupings[view.by]
    .map((group) => ({ group, members: group.members.filter((index) => hits[index]) }))
    .filter(({ members }) => members.length)
    .map((entry) => ({ ...entry, level: worst(entry.members) }));
  groups.sort((one, other) => one.level - other.level || other.members.length - one.members.length);
  const matching = hits.filter(Boolean).length;
  const list = make("ol", {});
  extend(list, groups, (entry, position) => groupRow(entry, position === 0 || matching <= FEW), view.by);
  const wasThere = $("list").contains(document.activeElement);
  $("list").replaceChildren(list);
  if (wasThere) moveInList(1);
  $("status").textContent =
    `${number(matching)} of ${counted(findings.length, "finding")}, ${counted(groups.length, view.by)}`;
  $("findings-title").textContent = view.by === "page" ? "Findings by page" : "Findings by cause";
}

const worst = (members) => members.reduce((level, index) => Math.min(level, findings[index].level), Infinity);

/** Append rows for the next `CHUNK` of `items`, and a button for more; what is not shown costs nothing. */
function extend(list, items, row, noun, from = 0) {
  const end = Math.min(from + CHUNK, items.length);
  const rows = [];
  for (let index = from; index < end; index++) rows.push(row(items[index], index));
  if (end < items.length) {
    const left = items.length - end;
    const label = `Show ${number(Math.min(CHUNK, left))} more (${counted(left, noun)} left)`;
    const button = make("button", { type: "button", textContent: label });
    const more = make("li", { className: "more" }, button);
    button.addEventListener("click", () => {
      extend(list, items, row, noun, end);
      (more.nextElementSibling.querySelector("summary") || more.nextElementSibling).focus();
      more.remove();
    });
    rows.push(more);
  }
  list.append(...rows);
}

const badge = (level) => make("span", { className: `level ${data.levels[level]}`, textContent: data.levels[level] });

function groupRow({ group, members, level }, open) {
  const where = new Set(members.map((index) => findings[index].path)).size;
  const noun = members.every((index) => findings[index].reference) ? "reference" : "finding";
  const count = `${counted(members.length, noun)}${group.code ? ` in ${counted(where, "file")}` : ""}`;
  const summary = make(
    "summary",
    {},
    badge(level),
    " ",
    make("h3", { textContent: group.title }),
    " ",
    make("span", { className: "count", textContent: group.code ? `${group.code} ${group.name}, ${count}` : count }),
  );
  const details = make("details", {}, summary);
  const fill = () => {
    if (details.childElementCount > 1) return;
    if (group.code && rules.has(group.code)) {
      const about = make("a", { href: `#rule-${group.code}`, textContent: `About ${group.code}` });
      details.append(make("p", { className: "quiet" }, `${rules.get(group.code)} `, about));
    }
    const list = make("ol", {});
    extend(list, members, (index) => findingRow(findings[index], group), "finding");
    details.append(list);
  };
  summary.addEventListener("click", () => opened.set(group, !details.open));
  details.addEventListener("toggle", () => details.open && fill());
  if (opened.get(group) ?? open) {
    details.open = true;
    fill();
  }
  return make("li", {}, details);
}

/** A finding; what its group says already is not said again. */
function findingRow(finding, group) {
  const place = finding.line ? `${finding.path}:${finding.line}:${finding.column}` : finding.path;
  const rule = group.code ? "" : `${finding.code} ${finding.name}`;
  const row = make(
    "li",
    { className: "finding", tabIndex: -1 },
    make(
      "p",
      {},
      badge(finding.level),
      " ",
      make("span", { className: "place", textContent: place }),
      " ",
      make("span", { className: "quiet", textContent: [rule, finding.where].filter(Boolean).join(" \u00b7 ") }),
    ),
  );
  if (!group.title.includes(finding.message)) row.append(make("p", { textContent: finding.message }));
  const [before, marked, after] = finding.excerpt;
  if (before || marked || after) {
    row.append(
      make("pre", { className: "excerpt" }, before, ...(marked ? [make("mark", { textContent: marked })] : []), after),
    );
  } else if (finding.reference) {
    row.append(make("pre", { className: "excerpt" }, make("mark", { textContent: finding.reference })));
  }
  if (finding.target)
    row.append(make("p", { className: "quiet" }, "Target: ", make("code", { textContent: finding.target })));
  if (finding.hint || finding.instead !== null) {
    const hint = make("p", {}, make("strong", { textContent: finding.certain ? "Fix: " : "Hint: " }), finding.hint);
    if (finding.instead !== null) hint.append(" \u2192 ", make("code", { textContent: finding.instead || "(empty)" }));
    row.append(hint);
  }
  return row;
}

// ---- the picture

function tile(part, rectangle, whole, isFolder) {
  const { width, height } = rectangle;
  const broken = part.counts[1] ? Math.min(1, part.counts[2] / part.counts[1]) : 0;
  const name = part.own ? `${part.folder.name || "all"} ${part.label}` : part.folder.name;
  const element = make("button", {
    type: "button",
    tabIndex: -1,
    title: told(name, part.counts),
    className: isFolder ? "folder" : colour(part.counts),
  });
  element.setAttribute("aria-label", element.title);
  if (width < 32 || height < 20) element.classList.add("small");
  else {
    element.append(make("span", { textContent: part.label }));
    if (!isFolder && height > 38 && part.counts[1]) element.append(make("span", { textContent: percent(broken) }));
  }
  if (!isFolder && broken) {
    const measure = make("span", { className: "measure" }); // the share again, for those who see no colours
    measure.style.width = `${100 * broken}%`;
    element.append(measure);
  }
  const share = (length, all) => `${(100 * length) / all}%`; // so that it fits paper too
  element.style.left = share(rectangle.x, whole.width);
  element.style.top = share(rectangle.y, whole.height);
  element.style.width = share(width, whole.width);
  element.style.height = share(height, whole.height);
  if (part.folder.name === view.folder && !part.own) element.setAttribute("aria-current", "true");
  element.addEventListener("click", () => change({ folder: part.folder.name }));
  return element;
}

function showMap() {
  const map = $("map");
  const chosen = folders.get(view.folder);
  const top = chosen.children.length || !chosen.above ? chosen : chosen.above;
  const measure = view.size === "links" ? 1 : 0;
  const tiles = [];
  const whole = { x: 0, y: 0, width: map.clientWidth, height: map.clientHeight };
  const waiting = [[top, whole]];
  for (const [folder, rectangle] of waiting) {
    if (!folder.sum[measure]) continue;
    for (const [part, inner] of squarified(parts(folder, rectangle.width * rectangle.height, measure), rectangle)) {
      const divided = !part.own && part.folder.children.length && inner.width > 90 && inner.height > 70;
      tiles.push(tile(part, inner, whole, divided));
      if (divided)
        waiting.push([
          part.folder,
          { x: inner.x + 3, y: inner.y + 20, width: inner.width - 6, height: inner.height - 23 },
        ]);
    }
  }
  const wasThere = $("picture").contains(document.activeElement) && document.activeElement !== $("size");
  map.replaceChildren(...tiles);
  const trail = [];
  for (let folder = chosen; folder; folder = folder.above) {
    const { name } = folder;
    if (folder === chosen) trail.unshift(make("span", { textContent: folder.label }));
    else {
      const button = make("button", { type: "button", textContent: folder.label });
      button.addEventListener("click", () => change({ folder: name }));
      trail.unshift(button, " / ");
    }
  }
  trail.at(-1).setAttribute("aria-current", "true");
  $("trail").replaceChildren(...trail);
  const entry = tiles.find((one) => one.hasAttribute("aria-current")) ?? tiles[0];
  if (!entry) return;
  entry.tabIndex = 0;
  if (wasThere) entry.focus();
}

function moveInMap(step) {
  const tiles = [...$("map").querySelectorAll("button")];
  const next = tiles[tiles.indexOf(document.activeElement) + step];
  if (!next) return;
  document.activeElement.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

// ---- the keyboard

const rowsShown = () =>
  [...$("list").querySelectorAll("summary, details[open] .finding, .more button")].filter((row) =>
    row.checkVisibility(),
  );

function moveInList(step) {
  const rows = rowsShown();
  const at = rows.indexOf(document.activeElement);
  const next = rows[at < 0 ? 0 : Math.max(0, at + step)];
  if (!next) return;
  if (next.matches(".more button") && step > 0) next.click();
  else next.focus();
  document.activeElement.scrollIntoView({ block: "nearest" });
}

function foldAround(open) {
  const details = document.activeElement.closest("details");
  if (!details) return;
  details.querySelector("summary").focus();
  if (details.open !== open) document.activeElement.click();
}

function clearStep() {
  if (view.q || $("search").value) change({ q: "" });
  else change({ ...NOTHING, by: view.by, size: view.size });
}

function searchAndMove() {
  change({ q: $("search").value }, false);
  moveInList(1);
}

const LETTERS = {
  "/": () => {
    $("search").focus();
    $("search").select();
  },
  j: () => moveInList(1),
  k: () => moveInList(-1),
};
const IN_LIST = {
  ArrowDown: () => moveInList(1),
  ArrowUp: () => moveInList(-1),
  ArrowRight: () => foldAround(true),
  ArrowLeft: () => foldAround(false),
};
const IN_MAP = {
  ArrowDown: () => moveInMap(1),
  ArrowRight: () => moveInMap(1),
  ArrowUp: () => moveInMap(-1),
  ArrowLeft: () => moveInMap(-1),
};

function actionFor(event) {
  const at = event.target;
  if (event.key === "Escape") return clearStep;
  if (at === $("search")) return ["ArrowDown", "Enter"].includes(event.key) ? searchAndMove : undefined;
  if (at.matches("select")) return undefined;
  if ($("map").contains(at) && IN_MAP[event.key]) return IN_MAP[event.key];
  if ($("list").contains(at)) {
    if (IN_LIST[event.key]) return IN_LIST[event.key];
    if (at.matches(".finding") && ["Enter", " "].includes(event.key)) return () => foldAround(false);
  }
  return $("keys").checked ? LETTERS[event.key] : undefined;
}

// ---- start

function openRule() {
  const rule = location.hash.startsWith("#rule-") && document.getElementById(location.hash.slice(1));
  if (!rule) return false;
  rule.open = true;
  rule.querySelector("summary").focus();
  return true;
}

function followFragment() {
  if (openRule() || location.hash === "#findings") return;
  readFragment();
  showAll();
}

function option(value, label) {
  return make("option", { value, textContent: label });
}

function furnish() {
  const counts = new Map();
  for (const finding of findings) counts.set(finding.code, [finding.name, (counts.get(finding.code)?.[1] ?? 0) + 1]);
  $("rule").append(
    ...[...counts].sort().map(([code, [name, count]]) => option(code, `${code} ${name} (${number(count)})`)),
  );
  $("folder").append(
    ...[...folders.keys()]
      .filter(Boolean)
      .sort()
      .map((name) => option(name, `${name}/`)),
  );
  data.levels.forEach((level, index) => {
    const count = findings.reduce((sum, finding) => sum + (finding.level === index), 0);
    const box = make("input", { type: "checkbox", value: level, checked: true });
    $("levels").append(make("label", {}, box, ` ${level} (${number(count)})`));
  });
  const bounds = SHARES.map((bound) => `${100 * bound} %`);
  const labels = [
    "none",
    ...bounds.map((bound, index) =>
      index + 1 < bounds.length ? `over ${bound} to ${bounds[index + 1]}` : `over ${bound}`,
    ),
  ];
  $("legend").append(
    ...[...labels.map((label, index) => [`share-${index}`, label]), ["share-none", "no references"]].map(
      ([className, label]) => make("li", {}, make("span", { className }), label),
    ),
  );
  $("picture").hidden = !data.folders.length;
  for (const id of ["filters", "bar", "help"]) $(id).hidden = !findings.length;
}

function listen() {
  $("search").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => change({ q: $("search").value }, false), 60);
  });
  $("levels").addEventListener("change", () => {
    const chosen = [...$("levels").querySelectorAll("input:checked")].map((box) => box.value);
    change({ level: levelsOf(chosen, "none") });
  });
  for (const key of ["rule", "folder", "by", "size"])
    $(key).addEventListener("change", () => change({ [key]: $(key).value }));
  $("clear").addEventListener("click", () => change({ ...NOTHING, by: view.by, size: view.size }));
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  for (const [id, open] of [
    ["unfold", true],
    ["fold", false],
  ]) {
    $(id).addEventListener("click", () => {
      for (const details of $("list").querySelectorAll("details")) details.open = open;
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actionFor(event);
    if (!action) return;
    event.preventDefault();
    action();
  });
  window.addEventListener("hashchange", followFragment);
  let width = $("map").clientWidth;
  new ResizeObserver(() => {
    if ($("map").clientWidth === width) return;
    width = $("map").clientWidth;
    showMap();
  }).observe($("map"));
}

plant(data.folders.map(([name, ...counts]) => [text(name), ...counts]));
furnish();
readFragment();
showAll();
listen();
if (findings.length) $("static").remove();
openRule();
