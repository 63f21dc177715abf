/** The element of an editor: its place, and the cursor in its control. */

const MARGIN = 8

/** Places an editor over a value, and moves it into the window. */
export function placeOver(editor: HTMLElement, anchor: Element): void {
  const { left, top, width } = anchor.getBoundingClientRect()
  const within = (at: number, last: number) => Math.max(MARGIN, Math.min(at, last - MARGIN))
  editor.style.minWidth = `${width}px`
  const placed = within(left, window.innerWidth - editor.offsetWidth)
  editor.style.left = `${placed}px`
  // Selected options that are shown later do not widen the editor beyond the window.
  editor.style.maxWidth = `min(24rem, ${window.innerWidth - placed - MARGIN}px)`
  editor.style.top = `${within(top, window.innerHeight - editor.offsetHeight)}px`
}

/** Selects the text of a control, or places the cursor behind it. */
export function placeCursor(control: Element | null, isSelected: boolean): void {
  if (!(control instanceof HTMLTextAreaElement || control instanceof HTMLInputElement)) return
  if (isSelected) control.select()
  else if (control.selectionStart !== null) control.setSelectionRange(control.value.length, control.value.length)
}
