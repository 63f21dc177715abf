/** Keys that were pressed while a picker waited for its items. They act when the items are there. */

export interface HeldKey {
  readonly key: string
  readonly shiftKey: boolean
}

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'>

/** Whether a key can be pressed again later: Enter, Tab and letters. */
export const isHeld = ({ key, ctrlKey, metaKey, altKey, isComposing }: Key): boolean =>
  !ctrlKey && !metaKey && !altKey && !isComposing && (key === 'Enter' || key === 'Tab' || [...key].length === 1)

/** Presses the keys, each in the element that has the focus then. `settled` waits until a key has acted. */
export async function pressAgain(keys: readonly HeldKey[], settled: () => Promise<void>): Promise<void> {
  for (const { key, shiftKey } of keys) {
    await settled()
    const isUnused = document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key, shiftKey, bubbles: true, cancelable: true }),
    )
    if (isUnused === true && [...key].length === 1) insert(key)
  }
}

/** The key may have opened an editor, which has the focus now. */
function insert(letter: string): void {
  const input = document.activeElement
  if (!(input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement)) return
  const { selectionStart, selectionEnd, value } = input
  if (selectionStart === null)
    input.value = value + letter // such as an input of type number
  else input.setRangeText(letter, selectionStart, selectionEnd ?? selectionStart, 'end')
  input.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
