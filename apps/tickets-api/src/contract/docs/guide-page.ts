import { type Guide, type GuideGroup, toAddress } from './guides.ts';
import { type Html, html } from './html.ts';

/**
 * Renders the page of a guide. Its script only adds the search.
 *
 * @param appendix HTML after the guide
 */
export function renderGuidePage(guide: Guide, groups: readonly GuideGroup[], appendix?: Html): string {
  const to = (slug: string) => toAddress(slug, guide.slug);
  const page = html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${guide.slug === '' ? '' : `${guide.title} – `}Keydesk API</title>
  <link rel="icon" href="${to('icon.svg')}" type="image/svg+xml">
  <link rel="stylesheet" href="${to('bar.css')}">
  <link rel="stylesheet" href="${to('guide.css')}">
  <script src="${to('search.js')}" type="module"></script>
</head>
<body>
  <a class="skip" href="#main">Skip to the content</a>
  ${renderBar(to, renderSearch(to))}
  <div class="frame">
    <main id="main">${guide.body}${appendix}</main>
    <nav class="guide-list" aria-label="Guides">${groups.map((group) => renderGroup(group, guide, to))}</nav>
  </div>
</body>
</html>
`;
  return page.html;
}

/** Renders the bar at the top of every page, including the reader. */
export function renderBar(to: To, extra?: Html): Html {
  return html`<nav class="bar" aria-label="Documentation">
    <a class="name" href="${to('')}">Keydesk API</a>
    <a href="${to('')}">Guides</a>
    <a href="${to('reference')}">Reference</a>
    ${extra}
  </nav>`;
}

/** Returns the URL of a page or file relative to the current page. */
type To = (slug: string) => string;

/** Renders the container that the script fills with the search. */
function renderSearch(to: To): Html {
  return html`<div class="search" id="search" data-index="${to('search.json')}" data-root="${to('')}"></div>`;
}

function renderGroup({ title, guides }: GuideGroup, current: Guide, to: To): Html {
  return html`
      <h2>${title}</h2>
      <ul>${guides.map((guide) => renderEntry(guide, current, to))}</ul>`;
}

function renderEntry(guide: Guide, current: Guide, to: To): Html {
  const name = guide.slug === '' ? 'Overview' : guide.title;
  if (guide !== current) return html`<li><a href="${to(guide.slug)}">${name}</a></li>`;
  const sections = guide.sections.filter(({ level }) => level === 2);
  return html`<li><a href="${to(guide.slug)}" aria-current="page">${name}</a>
        <ul>${sections.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`)}</ul></li>`;
}
