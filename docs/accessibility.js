// What the theme leaves out for people who use a keyboard or a screen reader.
document.querySelector('.md-search')?.setAttribute('aria-label', 'Search');
const scrollable = () => document.querySelectorAll(
  '.md-search__scrollwrap, .md-typeset__scrollwrap, .md-sidebar__scrollwrap, .highlight pre, .highlight code, pre > code')
  .forEach(e => { if (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight || e.matches('.md-search__scrollwrap')) e.tabIndex = 0; });
scrollable();
addEventListener('load', () => setTimeout(scrollable, 100));
