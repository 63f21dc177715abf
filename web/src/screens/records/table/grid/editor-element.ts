/** The element of an editor: its place, and the cursor in its control. */

const MARGIN = 8

/** Places an editor over a value, and moves it into the window. */
export function placeOver(editor: HTMLElement, anchor: Element): void {
  const { left, top, width } = anchor.getBoundingClientRect()
  const within = (at: number, last: number) => `${Math.max(MARGIN, Math.min(at, last - MARGIN))}px`
  editor.style.minWidth = `${width}px`
  editor.style.left = within(left, window.innerWidth - editor.offsetWidth)
  editor.style.top = within(top, window.innerHeight - editor.offsetHeight)
}

/** Selects the text of a control, or places the cursor behind it. */
export function placeCursor(control: Element | null, isSelected: boolean): void {
  if (!(control instanceof HTMLTextAreaElement || control instanceof HTMLInputElement)) return
  if (isSelected) control.select()
  else if (control.selectionStart !== null) control.setSelectionRange(control.value.length, control.value.length)
}
