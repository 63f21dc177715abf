/** The setup of an import, with its preview. */

import { type EntityTypePath, withShownTitle } from '../../../../api/data-model/attributes'
import { toApiError, type ApiError } from '../../../../api/errors'
import { type ImportDetail, type PlanBody, previewImport, type PreviewOutput } from '../../../../api/records/imports'
import { slugOf } from '#vocabulary/slugs'
import { session } from '../../../../state/session.svelte'
import { freeSlug, isNew, readNew, RECORD_ID, SKIP } from './targets'

/** The delay before a preview, so that not every change sends a request. */
const PAUSE_MS = 150

export type Fallback = PlanBody['fallback']

export class ImportDraft {
  readonly import: ImportDetail
  readonly #object: EntityTypePath
  /** Targets by the name of their column. */
  targets = $state<Record<string, string>>({})
  /** The matching attribute; empty for objects without unique attributes. */
  match = $state('')
  fallback = $state<Fallback>('name')
  overwrite = $state(false)
  country = $state(session.workspace?.default_country ?? '')
  preview = $state.raw<PreviewOutput | undefined>()
  problem = $state.raw<ApiError | undefined>()
  isPreviewing = $state(false)

  /** `object` is the slug of the object. */
  constructor(file: ImportDetail, object: string) {
    this.#object = { kind: 'objects', slug: object }
    this.import = { ...file, targets: file.targets.map((target) => withShownTitle(target, this.#object)) }
    this.targets = Object.fromEntries(file.columns.map(({ name, target }) => [name, target]))
    this.match = this.matches[0] ?? ''
    this.fallback = file.has_name ? 'name' : 'none'
  }

  /** The attributes that can match rows with records. The record ID can, if a column has it. */
  readonly matches: readonly string[] = $derived.by(() =>
    this.import.matches.filter((slug) => slug !== RECORD_ID || Object.values(this.targets).includes(RECORD_ID)),
  )
  readonly plan: PlanBody = $derived({
    columns: { ...this.targets },
    match: this.match === '' ? null : this.match,
    fallback: this.fallback,
    overwrite: this.overwrite,
    country: this.country === '' ? null : this.country,
  })
  readonly newCount = $derived(Object.values(this.targets).filter(isNew).length)
  readonly skippedCount = $derived(Object.values(this.targets).filter((target) => target === SKIP).length)
  /** Whether the import would create or change nothing. */
  readonly isEmpty = $derived(this.skippedCount === Object.keys(this.targets).length || this.preview?.rows.length === 0)

  /** Maps a column to an attribute, or skips it. */
  choose(column: string, target: string): void {
    this.targets[column] = target
    if (target === RECORD_ID) this.match = RECORD_ID
    else if (!this.matches.includes(this.match)) this.match = this.matches[0] ?? ''
  }

  /** Maps a column to a new attribute, of the proposed type if there is one. */
  chooseNew(column: string): void {
    const proposed = this.import.columns.find(({ name }) => name === column)?.target ?? SKIP
    this.targets[column] = readNew(proposed) ? proposed : `${this.#freeSlug(column)}:text`
  }

  /** Skips all columns that are mapped to new attributes. */
  skipNew(): void {
    for (const [column, target] of Object.entries(this.targets)) if (isNew(target)) this.choose(column, SKIP)
  }

  #freeSlug(column: string): string {
    const others = Object.entries(this.targets).flatMap(([name, target]) => (name === column ? [] : [target]))
    const present = this.import.targets.map(({ target }) => target)
    return freeSlug(slugOf(column), new Set([...others, ...present].map((target) => target.split(/[.:]/, 1)[0] ?? '')))
  }

  /** Loads the preview of the setup; for use in an effect. */
  follow(): () => void {
    const plan = JSON.parse(JSON.stringify(this.plan)) as PlanBody // a copy of the same type
    const running = new AbortController()
    this.isPreviewing = true
    const timer = setTimeout(() => void this.#loadPreview(plan, running.signal), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      running.abort()
    }
  }

  async #loadPreview(plan: PlanBody, signal: AbortSignal): Promise<void> {
    try {
      const preview = await previewImport(this.import.id, plan, signal)
      if (signal.aborted) return
      const attributes = preview.attributes.map((one) => ({
        ...one,
        attribute: withShownTitle(one.attribute, this.#object),
      }))
      this.preview = { ...preview, attributes }
      this.problem = undefined
    } catch (error) {
      if (signal.aborted) return
      this.problem = toApiError(error)
    }
    this.isPreviewing = false
  }
}
