/** Short messages about an action, some with a button such as Undo. */

export interface ToastAction {
  readonly label: string
  readonly act: () => unknown
}

export interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'plain' | 'danger'
  readonly action?: ToastAction
}

const SHOWN_MS = 6000
const WITH_ACTION_MS = 10_000

class Toasts {
  list = $state.raw<readonly Toast[]>([])
  #lastId = 0

  show(text: string, action?: ToastAction): void {
    this.#add({ id: this.#nextId(), text, tone: 'plain', ...(action && { action }) })
  }

  /** Shows the message of an error. */
  fail(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error)
    this.#add({ id: this.#nextId(), text, tone: 'danger' })
  }

  close(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id)
  }

  #add(toast: Toast): void {
    this.list = [...this.list.slice(-2), toast]
    setTimeout(() => this.close(toast.id), toast.action ? WITH_ACTION_MS : SHOWN_MS)
  }

  #nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }
}

export const toasts = new Toasts()
