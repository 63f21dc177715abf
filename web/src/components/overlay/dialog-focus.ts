/** Where the focus is while a dialog is open, and after it. */

import { focusInitially } from './initial-focus'

export class DialogFocus {
  readonly #body: () => HTMLElement
  /** The element of the body that had the focus last. */
  #last: HTMLElement | undefined

  constructor(body: () => HTMLElement) {
    this.#body = body
  }

  /** An attachment of the dialog: the dialog is open while it is in the page. */
  readonly open = (dialog: HTMLDialogElement): (() => void) => {
    const opener = document.activeElement
    dialog.showModal()
    focusInitially(dialog, this.#body())
    return () => {
      dialog.close()
      // The browser does not return the focus from a dialog that was removed from the page.
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus()
    }
  }

  /** Listens to `focusin` in the body. */
  readonly store = ({ target }: FocusEvent): void => {
    this.#last = target instanceof HTMLElement ? target : undefined
  }

  /** Returns the focus to the body, such as after a question above the dialog. */
  restore(): void {
    this.#last?.focus()
  }
}
