/** Reads and writes targets of columns: `name`, `stage:select`, `tags:select[]`, `budget:currency(EUR)`, `skip`. */

export const SKIP = 'skip'

/** An attribute that the import creates. */
export interface NewAttribute {
  readonly slug: string
  readonly type: string
  readonly isMultiselect: boolean
  readonly currency: string | undefined
}

const NEW = /^([^:]+):([a-z-]+)(?:\(([A-Z]{3})\))?(\[\])?$/

/** The new attribute of a target; undefined for present attributes and skipped columns. */
export function readNew(target: string): NewAttribute | undefined {
  const [, slug, type, currency, several] = NEW.exec(target) ?? []
  return slug === undefined || type === undefined
    ? undefined
    : { slug, type, currency, isMultiselect: several !== undefined }
}

export const isNew = (target: string): boolean => readNew(target) !== undefined

export function newTarget({ slug, type, isMultiselect, currency }: NewAttribute): string {
  const code = currency === undefined ? '' : `(${currency})`
  return `${slug}:${type}${code}${isMultiselect ? '[]' : ''}`
}

/** The slug, with a number if it is taken. */
export function freeSlug(suggested: string, taken: ReadonlySet<string>): string {
  const slug = suggested === '' ? 'column' : suggested
  if (!taken.has(slug)) return slug
  for (let number = 2; ; number++) if (!taken.has(`${slug}_${number}`)) return `${slug}_${number}`
}
