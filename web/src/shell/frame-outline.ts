/**
 * The outline of the navigation in `index.html`. On a slow network it is there before the scripts of the console.
 * `public/theme.js` shows it before the first paint when the last visit ended in a workspace.
 */

export function rememberFrame(hasWorkspace: boolean): void {
  if (hasWorkspace) localStorage.setItem('frame', 'shell')
  else localStorage.removeItem('frame')
}

export function hideFrameOutline(): void {
  delete document.documentElement.dataset.frame
}
