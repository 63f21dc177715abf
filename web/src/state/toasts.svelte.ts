/** Words about what just happened, with a way back where there is one. */

export interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'plain' | 'danger'
  readonly undo?: () => unknown
}

/** Long enough to read it and reach for the button. */
const SHOWN_MS = 6000
const SHOWN_WITH_UNDO_MS = 10_000

class Toasts {
  list = $state.raw<readonly Toast[]>([])
  #lastId = 0

  /** Something was done. */
  tell(text: string, undo?: () => unknown): void {
    this.#show(undo ? { id: this.#nextId(), text, tone: 'plain', undo } : { id: this.#nextId(), text, tone: 'plain' })
  }

  /** Something could not be done. */
  fail(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error)
    this.#show({ id: this.#nextId(), text, tone: 'danger' })
  }

  close(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id)
  }

  #show(toast: Toast): void {
    this.list = [...this.list.slice(-2), toast]
    setTimeout(() => this.close(toast.id), toast.undo ? SHOWN_WITH_UNDO_MS : SHOWN_MS)
  }

  #nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }
}

export const toasts = new Toasts()
