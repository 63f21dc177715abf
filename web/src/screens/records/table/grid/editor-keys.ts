/** The keys that end an edit in a grid and lead to the next cell. */

export type Direction = 'down' | 'up' | 'right' | 'left'

type Key = Pick<KeyboardEvent, 'key' | 'shiftKey'>

/** Undefined for other keys. */
export const directionOfEnter = ({ key, shiftKey }: Key): Direction | undefined =>
  key === 'Enter' ? (shiftKey ? 'up' : 'down') : undefined

const CONTROLS = 'input, textarea, select, button:not([tabindex="-1"])'

/** Undefined while Tab leads to another control of the editor, such as the parts of an address. */
export function directionOfTab({ key, shiftKey }: Key, editor: HTMLElement): Direction | undefined {
  if (key !== 'Tab') return undefined
  const controls = [...editor.querySelectorAll(CONTROLS)].filter((control) => !isUncheckedRadio(control))
  const last = shiftKey ? controls[0] : controls.at(-1)
  if (last !== undefined && last !== document.activeElement && controls.length > 1) return undefined
  return shiftKey ? 'left' : 'right'
}

/** Tab skips the radio buttons of a group that are not checked. */
const isUncheckedRadio = (control: Element): boolean =>
  control instanceof HTMLInputElement && control.type === 'radio' && control !== document.activeElement

/** Inserts a line at the cursor of a text area. Returns whether there is one. */
export function addLine(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLTextAreaElement)) return false
  target.setRangeText('\n', target.selectionStart, target.selectionEnd, 'end')
  target.dispatchEvent(new InputEvent('input', { bubbles: true }))
  return true
}
