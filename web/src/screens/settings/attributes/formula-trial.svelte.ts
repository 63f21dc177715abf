/** Tries a formula while it is written: the types that it can have, a sample of values, or where it is wrong. */

import {
  type Attribute,
  type EntityTypePath,
  type ComputedPreview,
  previewFormula,
} from '../../../api/data-model/attributes'
import { toApiError } from '../../../api/errors'
import { offsetOf } from '../../sql/editor/positions'

/** After the last key. */
const PAUSE_MS = 400

interface FormulaError {
  readonly message: string
  /** In the text; undefined for an error of the whole formula. */
  readonly offset: number | undefined
}

export class FormulaTrial {
  #preview = $state.raw<ComputedPreview | undefined>()
  error = $state.raw<FormulaError | undefined>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #request: AbortController | undefined
  readonly #entityType: EntityTypePath

  constructor(entityType: EntityTypePath) {
    this.#entityType = entityType
  }

  /** Undefined while no formula was valid, and for one that is wrong. */
  get types(): ComputedPreview['types'] | undefined {
    return this.error === undefined ? this.#preview?.types : undefined
  }

  /** Whether the values would be stored. A formula that reads the clock is computed when it is read. */
  get isStored(): boolean {
    return this.error !== undefined || this.#preview?.is_stored !== false
  }

  get sample(): ComputedPreview['sample'] {
    return this.error === undefined ? (this.#preview?.sample ?? []) : []
  }

  /** Replaces the trial before. `type` is that of the attribute, if the formula can have it. */
  try(formula: string, type: Attribute['type']): void {
    this.stop()
    if (formula.trim() === '') {
      this.#preview = this.error = undefined
      return
    }
    this.#timer = setTimeout(() => void this.#send(formula, type), PAUSE_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#request?.abort()
  }

  async #send(formula: string, type: Attribute['type']): Promise<void> {
    const { signal } = (this.#request = new AbortController())
    try {
      const preview = await this.#read(formula, type, signal)
      if (signal.aborted) return
      this.#preview = preview
      this.error = undefined
    } catch (cause) {
      if (signal.aborted) return
      const error = toApiError(cause)
      const [issue] = error.issues
      const offset = issue?.position === undefined ? undefined : offsetOf(formula, issue.position)
      this.error = { message: issue?.message ?? error.message, offset }
    }
  }

  /** A formula that cannot have the type is tried with the first one that fits. */
  async #read(formula: string, type: Attribute['type'], signal: AbortSignal): Promise<ComputedPreview> {
    const preview = await previewFormula(this.#entityType, { formula }, signal)
    if (type === preview.types[0] || !preview.types.includes(type)) return preview
    return previewFormula(this.#entityType, { formula, type }, signal)
  }
}
