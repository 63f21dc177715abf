/**
 * An attachment of a form: Ctrl or Command and Enter submit it, also in a text area, where Enter adds a line. Controls that use the
 * key prevent its default.
 */
export function submitOnCtrlEnter(form: HTMLFormElement): () => void {
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing || event.defaultPrevented)
      return
    if (!(event.target instanceof HTMLTextAreaElement)) return
    event.preventDefault()
    // A disabled or busy button is not pressed.
    form.querySelector<HTMLButtonElement>('button[type="submit"]')?.click()
  }
  form.addEventListener('keydown', press)
  return () => form.removeEventListener('keydown', press)
}
