/** What somebody is deciding about a file, and what would come of it. */

import { toApiError, type ApiError } from '../../../api/errors'
import { type ImportDetail, type PlanBody, previewImport, type PreviewOutput } from '../../../api/records/imports'
import { slugOf } from '../../../components/form/slugs'
import { freeSlug, isNew, readNew, SKIP } from './targets'

/** So that not every press asks the service. */
const PAUSE_MS = 150

export type Fallback = PlanBody['fallback']

export class ImportDraft {
  readonly import: ImportDetail
  /** By the name of the column. */
  targets = $state<Record<string, string>>({})
  /** Empty where the object has no attribute that rows can be recognised by. */
  match = $state('')
  fallback = $state<Fallback>('name')
  overwrite = $state(false)
  country = $state('')
  preview = $state.raw<PreviewOutput | undefined>()
  problem = $state.raw<ApiError | undefined>()
  isAsking = $state(false)

  constructor(given: ImportDetail) {
    this.import = given
    this.targets = Object.fromEntries(given.columns.map(({ name, target }) => [name, target]))
    this.match = given.matches[0] ?? ''
    this.fallback = given.has_name ? 'name' : 'none'
  }

  readonly plan: PlanBody = $derived({
    columns: { ...this.targets },
    match: this.match === '' ? null : this.match,
    fallback: this.fallback,
    overwrite: this.overwrite,
    country: this.country === '' ? null : this.country,
  })
  readonly newCount = $derived(Object.values(this.targets).filter(isNew).length)
  readonly skippedCount = $derived(Object.values(this.targets).filter((target) => target === SKIP).length)
  /** There is nothing to import. */
  readonly isEmpty = $derived(this.skippedCount === Object.keys(this.targets).length || this.preview?.rows.length === 0)

  /** Sends a column to an attribute that is there, or leaves it out. */
  choose(column: string, target: string): void {
    this.targets[column] = target
  }

  /** Sends a column to an attribute of its own, of the type that was proposed for it if there was one. */
  chooseNew(column: string): void {
    const proposed = this.import.columns.find(({ name }) => name === column)?.target ?? SKIP
    this.targets[column] = readNew(proposed) ? proposed : `${this.#freeSlug(column)}:text`
  }

  /** Keeps to the attributes that are there. */
  skipNew(): void {
    for (const [column, target] of Object.entries(this.targets)) if (isNew(target)) this.choose(column, SKIP)
  }

  #freeSlug(column: string): string {
    const others = Object.entries(this.targets).flatMap(([name, target]) => (name === column ? [] : [target]))
    const there = this.import.targets.map(({ target }) => target)
    return freeSlug(slugOf(column), new Set([...others, ...there].map((target) => target.split(/[.:]/, 1)[0] ?? '')))
  }

  /** Follows what is decided; for use in an effect. */
  follow(): () => void {
    const plan = JSON.parse(JSON.stringify(this.plan)) as PlanBody // a copy of itself
    const running = new AbortController()
    this.isAsking = true
    const timer = setTimeout(() => void this.#ask(plan, running.signal), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      running.abort()
    }
  }

  async #ask(plan: PlanBody, signal: AbortSignal): Promise<void> {
    try {
      const preview = await previewImport(this.import.id, plan, signal)
      if (signal.aborted) return
      this.preview = preview
      this.problem = undefined
    } catch (error) {
      if (signal.aborted) return
      this.problem = toApiError(error)
    }
    this.isAsking = false
  }
}
