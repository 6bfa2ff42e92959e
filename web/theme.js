// Light, dark, or as the system says. Canvases listen to redraw.

const themeListeners = [];
function setUpTheme() {
  const button = document.getElementById('theme'), modes = ['auto', 'light', 'dark'];
  let mode = 'auto';
  try { mode = localStorage.getItem('penumbra-theme') || 'auto'; } catch { /* no storage: auto */ }
  const show = () => {
    if (mode === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = mode;
    button.textContent = { auto: '◐ auto', light: '○ light', dark: '● dark' }[mode];
    button.setAttribute('aria-label', `Colours: ${mode}. Press to change.`);
    for (const listener of themeListeners) listener();
  };
  button.addEventListener('click', () => {
    mode = modes[(modes.indexOf(mode) + 1) % modes.length];
    try { localStorage.setItem('penumbra-theme', mode); } catch { /* stays for this page */ }
    show();
  });
  for (const media of ['(prefers-color-scheme: dark)', 'print'])
    matchMedia(media).addEventListener('change', show);
  show();
}
