/** Which element of a dialog gets the focus when the dialog opens. */

/** The keyboard enters a group of radio buttons at the checked one. */
const FIELD = 'input:enabled:not([type="radio"]:not(:checked)), select:enabled, textarea:enabled'
const CONTROL = 'a[href], button:enabled'

/**
 * The element marked `autofocus`, else the first field, else the first control of the body, else the first button of the
 * footer: in a question before a deletion, that button cancels. A dialog of text alone gives the focus to its body, so that the
 * arrow keys scroll it. The close button is the first control of the dialog and never gets the focus.
 */
export function focusInitially(dialog: HTMLDialogElement, body: HTMLElement): void {
  const target =
    dialog.querySelector<HTMLElement>('[autofocus]') ??
    body.querySelector<HTMLElement>(FIELD) ??
    body.querySelector<HTMLElement>(CONTROL) ??
    dialog.querySelector<HTMLElement>('footer button:enabled')
  if (target) target.focus()
  else focusOnce(body)
}

/** Focuses an element that is otherwise not focusable. It leaves the tab order when it loses the focus. */
function focusOnce(element: HTMLElement): void {
  element.tabIndex = -1
  element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
  element.focus()
}
