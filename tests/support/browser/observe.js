/* What this browser makes of the document's links: [baseURI, characterSet, elements], an element being
   [depth, name, attribute names, [[attribute, value as written, URL as resolved], ...]].

   A base element is no reference: baseURI says what became of it. Of others, an IDL attribute says what the browser
   itself resolved. Where there is none, a probe in the same document resolves the value: an `a` element (document base
   URL and encoding), or a declaration in the same sheet. Contents of templates, shadow trees and srcdoc documents
   follow the element that has them. */
(() => {
  "use strict";
  const HTML = "http://www.w3.org/1999/xhtml";
  const SVG = "http://www.w3.org/2000/svg";
  const XLINK = "http://www.w3.org/1999/xlink";
  const PREFIXES = { [HTML]: "", [SVG]: "svg:", "http://www.w3.org/1998/Math/MathML": "math:" };

  /* Content attribute -> the IDL attribute that reflects it as a URL, where the element has that. */
  const REFLECTED = {
    action: "action", cite: "cite", codebase: "codeBase", data: "data", formaction: "formAction", href: "href",
    longdesc: "longDesc", poster: "poster", src: "src",
  };
  /* Where an empty value means a URL; elsewhere it loads nothing. */
  const MEANT_EMPTY = /^(a|area) href$| (action|cite|formaction)$/;

  const BACKGROUNDS = new Set(["body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"]);
  const PAINTS = [
    "clip-path", "cursor", "fill", "filter", "marker-end", "marker-mid", "marker-start", "mask", "stroke",
  ];

  const element = (owner, name) => owner.createElementNS(HTML, name);

  const resolve = (owner, value) => {
    const probe = element(owner, "a");
    probe.setAttribute("href", value);
    return probe.href;
  };

  /* HTML, parse a srcset attribute: the URLs of the candidates that browsers keep. */
  const srcset = (value) => {
    const urls = [];
    let rest = value;
    while ((rest = rest.replace(/^[\t\n\f\r ,]+/, ""))) {
      let [url] = rest.match(/^[^\t\n\f\r ]+/);
      rest = rest.slice(url.length);
      let descriptors = "";
      if (url.endsWith(",")) url = url.replace(/,+$/, "");
      else {
        [descriptors] = rest.match(/^(?:\([^)]*(?:\)|$)|[^,(])*/);
        rest = rest.slice(descriptors.length);
      }
      const kinds = descriptors.split(/[\t\n\f\r ]+(?![^(]*\))/).filter(Boolean).map((descriptor) =>
        /^[1-9]\d*w$/.test(descriptor) ? "w" : /^\d*\.?\d+(e[-+]?\d+)?x$/i.test(descriptor) ? "x" : "?");
      if (kinds.length <= 1 && !kinds.includes("?")) urls.push(url);
    }
    return urls;
  };

  /* HTML, shared declarative refresh steps: the URL, or null for a reload. */
  const refresh = (value) => {
    const match = /^\s*[\d.]+(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.+))/is.exec(value);
    return match && (match[1] ?? match[2] ?? match[3]).trim();
  };

  /* The url() tokens of serialized CSS; those inside strings are none. */
  const tokens = (css) => {
    const string = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
    const pattern = String.raw`${string}|url\(\s*(?:${string}|(?:[^"'()\\\s]|\\.)*)\s*\)`;
    return (css.match(new RegExp(pattern, "gis")) ?? []).filter((token) => /^url/i.test(token));
  };
  const unquoted = (token) => token.replace(/^url\(\s*["']?|["']?\s*\)$/gi, "");

  /* What `declare` makes of a token, a function that gives a probe element that background. */
  const computed = (owner, token, declare) => {
    if (unquoted(token).startsWith("#")) return [unquoted(token), unquoted(token)];
    const probe = owner.documentElement.appendChild(element(owner, "linkfix-probe"));
    const undo = declare(probe, `background-image: ${token} !important`);
    const result = unquoted(owner.defaultView.getComputedStyle(probe).backgroundImage);
    undo();
    probe.remove();
    return [unquoted(token), result];
  };
  const inline = (owner, css) => tokens(css).map((token) =>
    computed(owner, token, (probe, declaration) => {
      probe.setAttribute("style", declaration);
      return () => {};
    }));

  const rulesIn = function* (rules) {
    for (const rule of rules) {
      yield rule;
      yield* rulesIn(rule.cssRules ?? []);
    }
  };
  const inSheet = (owner, sheet) => {
    const declare = (_, declaration) => {
      const index = sheet.insertRule(`linkfix-probe { ${declaration} }`, sheet.cssRules.length);
      return () => sheet.deleteRule(index);
    };
    const { mediaText } = sheet.media;
    sheet.media.mediaText = "all";
    const urls = [...rulesIn(sheet.cssRules)].flatMap((rule) =>
      rule instanceof CSSImportRule
        ? [["@import", rule.href, rule.styleSheet?.href ?? resolve(owner, rule.href)]]
        : tokens(rule.style?.cssText ?? "").map((token) => ["css", ...computed(owner, token, declare)]));
    sheet.media.mediaText = mediaText;
    return urls;
  };

  /* HTML, parse an import map string: URL-like keys and addresses; a bare specifier is no URL. */
  const importMap = (owner, map) => {
    const urls = [];
    const add = (key, value, always) => {
      const isURL = always || /^\.{0,2}\//.test(value) || URL.canParse(value);
      if (isURL && URL.canParse(value, owner.baseURI)) urls.push([key, value, new URL(value, owner.baseURI).href]);
    };
    const specifiers = (table) => {
      for (const [key, address] of Object.entries(table ?? {})) {
        add("key", key, false);
        if (typeof address === "string") add("address", address, false);
      }
    };
    specifiers(map.imports);
    for (const [prefix, table] of Object.entries(map.scopes ?? {})) {
      add("scope", prefix, true);
      specifiers(table);
    }
    for (const key of Object.keys(map.integrity ?? {})) add("integrity", key, false);
    return urls;
  };

  const speculationRules = (owner, rules) => Object.values(rules).flat().flatMap((rule) => rule.urls ?? [])
    .map((url) => ["urls", url, new URL(url, owner.baseURI).href]);

  const TEXTS = { importmap: importMap, speculationrules: speculationRules };

  const urlsOfHTML = (owner, node) => {
    const urls = [];
    const add = (attribute, value) => urls.push([attribute, value, value && resolve(owner, value)]);
    for (const [attribute, property] of Object.entries(REFLECTED)) {
      const value = node.getAttribute(attribute);
      const means = value || (value === "" && MEANT_EMPTY.test(`${node.localName} ${attribute}`));
      if (means && typeof node[property] === "string" && node.localName !== "base") {
        urls.push([attribute, value, node[property]]);
      }
    }
    for (const attribute of ["srcset", "imagesrcset"]) {
      for (const url of srcset(node.getAttribute(attribute) ?? "")) add(attribute, url);
    }
    if (node.localName === "img" && node.currentSrc && (node.srcset || node.closest("picture"))) {
      urls.push(["currentSrc", "(chosen)", node.currentSrc]);
    }
    if (node.localName === "a" || node.localName === "area") {
      for (const url of (node.getAttribute("ping") ?? "").split(/[\t\n\f\r ]+/).filter(Boolean)) add("ping", url);
    }
    if (BACKGROUNDS.has(node.localName) && node.getAttribute("background")) {
      add("background", node.getAttribute("background"));
    }
    if (node.localName === "meta" && /^refresh$/i.test(node.httpEquiv)) {
      const url = refresh(node.content);
      if (url) add("content", url);
    }
    if (node.localName === "script" && Object.hasOwn(TEXTS, node.type)) {
      urls.push(...TEXTS[node.type](owner, JSON.parse(node.text)));
    }
    return urls;
  };

  const urlsOfSVG = (owner, node) => {
    const urls = [];
    const value = "href" in node && (node.getAttribute("href") ?? node.getAttributeNS(XLINK, "href"));
    if (value) {
      /* A same-document reference of anything but a link names an element of this document, whatever its base. */
      const isLocal = value.startsWith("#") && node.localName !== "a";
      urls.push(["href", value, isLocal ? value : resolve(owner, value)]);
    }
    for (const attribute of PAINTS) {
      for (const [token, url] of inline(owner, node.getAttribute(attribute) ?? "")) urls.push([attribute, token, url]);
    }
    return urls;
  };

  const elements = [];
  const visit = (owner, node, depth) => {
    const known = Object.hasOwn(PREFIXES, node.namespaceURI ?? "");
    const name = `${known ? PREFIXES[node.namespaceURI] : `{${node.namespaceURI}}`}${node.localName}`;
    const urls = { [HTML]: urlsOfHTML, [SVG]: urlsOfSVG }[node.namespaceURI]?.(owner, node) ?? [];
    if (known && node.style) {
      for (const [token, url] of inline(owner, node.style.cssText)) urls.push(["style", token, url]);
    }
    if (node.localName === "style" && node.sheet) urls.push(...inSheet(owner, node.sheet));
    elements.push([depth, name, [...node.attributes].map((attribute) => attribute.name), urls]);
    if (node.namespaceURI === HTML && node.localName === "template") {
      visitAll(owner, "#template", owner.importNode(node.content, true), depth + 1);
    }
    if (node.shadowRoot) visitAll(owner, "#shadow-root", node.shadowRoot, depth + 1);
    if (node.localName === "iframe" && node.hasAttribute("srcdoc") && node.contentDocument) {
      const inner = node.contentDocument;
      elements.push([depth + 1, `#srcdoc ${inner.characterSet}`, [], []]);
      visit(inner, inner.documentElement, depth + 2);
    }
    for (const child of node.children) visit(owner, child, depth + 1);
  };
  const visitAll = (owner, name, root, depth) => {
    elements.push([depth, name, [], []]);
    for (const child of root.children) visit(owner, child, depth + 1);
  };

  visit(document, document.documentElement, 0);
  return [document.baseURI, document.characterSet, elements];
})()
