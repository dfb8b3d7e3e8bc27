/* The tree of folders and the picture's layout: what the report's script draws. Knows neither page nor view. */
"use strict";

const TILE = 14; // pixels: what would be smaller than a square of that side is put together
const CROWD = 400; // tiles of one folder at most
const SHARES = [0, 0.01, 0.05, 0.2, 0.5]; // where the picture's colours change

const number = (value) => value.toLocaleString("en");
const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
const percent = (share) => (share > 0 && share < 0.001 ? "< 0.1 %" : `${(100 * share).toFixed(1)} %`);

/** name -> {name, label, own, sum, children}; `own` and `sum` are [pages, links, errors, warnings, notes]. */
const folders = new Map();

function folderOf(name) {
  if (folders.has(name)) return folders.get(name);
  const cut = name.lastIndexOf("/");
  const above = name === "" ? null : folderOf(name.slice(0, Math.max(cut, 0)));
  const folder = {
    name,
    label: name.slice(cut + 1) || "all",
    own: [0, 0, 0, 0, 0],
    sum: [0, 0, 0, 0, 0],
    children: [],
    above,
  };
  folders.set(name, folder);
  above?.children.push(folder);
  return folder;
}

/** Fill `folders` from rows of a name and its own counts. */
function plant(rows) {
  folderOf("");
  for (const [name, ...counts] of rows) {
    const folder = folderOf(name);
    counts.forEach((count, index) => (folder.own[index] += count));
    for (let above = folder; above; above = above.above) counts.forEach((count, index) => (above.sum[index] += count));
  }
}

/** What a tile says to those who point at it or hear it. */
function told(label, [pages, links, errors, warnings, notes]) {
  const broken = links ? ` (${percent(Math.min(1, errors / links))})` : "";
  return (
    `${label}: ${counted(pages, "page")}, ${counted(links, "reference")}, ${counted(errors, "error")}${broken}, ` +
    `${counted(warnings, "warning")}, ${counted(notes, "note")}`
  );
}

/** The class that gives a tile its colour. */
function colour([, links, errors]) {
  if (!links) return errors ? `share-${SHARES.length}` : "share-none";
  const share = errors / links;
  return `share-${share === 0 ? 0 : SHARES.findLastIndex((bound) => share > bound) + 1}`;
}

/**
 * A squarified treemap (Bruls, Huizing, van Wijk 2000).
 *
 * Lays `items` with `.weight` with `.weight` into a rectangle, in rows whose tiles are as square as can be:
 * [item, rectangle] each.
 */
function squarified(items, { x, y, width, height }) {
  const placed = [];
  let rest = items.reduce((sum, item) => sum + item.weight, 0);
  for (let from = 0; from < items.length && rest > 0;) {
    const side = Math.min(width, height);
    const scale = (width * height) / rest;
    const ratio = (sum, least, most) =>
      Math.max((side * side * most) / (sum * sum * scale), (sum * sum * scale) / (side * side * least));
    let end = from + 1;
    let sum = items[from].weight;
    while (end < items.length) {
      const most = items[from].weight;
      const more = sum + items[end].weight;
      if (ratio(more, items[end].weight, most) > ratio(sum, items[end - 1].weight, most)) break;
      sum = more;
      end += 1;
    }
    const wide = width >= height;
    const depth = (sum * scale) / side;
    let along = 0;
    for (; from < end; from++) {
      const length = (items[from].weight / sum) * side;
      placed.push([
        items[from],
        wide ? { x, y: y + along, width: depth, height: length } : { x: x + along, y, width: length, height: depth },
      ]);
      along += length;
    }
    if (wide) {
      x += depth;
      width -= depth;
    } else {
      y += depth;
      height -= depth;
    }
    rest -= sum;
  }
  return placed;
}

/** What a folder's rectangle shows: its folders, what is too small put together, and its own pages. */
function parts(folder, area, measure) {
  const all = folder.children.map((child) => ({
    folder: child,
    label: `${child.label}/`,
    counts: child.sum,
    weight: child.sum[measure],
  }));
  if (folder.own[measure])
    all.push({ folder, label: "(pages here)", counts: folder.own, weight: folder.own[measure], own: true });
  all.sort((one, other) => other.weight - one.weight);
  const least = (folder.sum[measure] * TILE * TILE) / area;
  let kept = all.findIndex((part, index) => index >= CROWD || part.weight < least);
  if (kept < 0) return all;
  const rest = all.slice(kept).filter((part) => part.weight);
  if (rest.length < 2) return all.slice(0, kept).concat(rest);
  const counts = rest.reduce((sum, part) => sum.map((count, index) => count + part.counts[index]), [0, 0, 0, 0, 0]);
  return [
    ...all.slice(0, kept),
    { folder, label: `(${number(rest.length)} smaller ones)`, counts, weight: counts[measure], own: true },
  ];
}
