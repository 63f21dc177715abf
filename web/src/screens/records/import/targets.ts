/** Where a column goes, taken apart and put together again: `name`, `stage:select`, `tags:select[]`, `budget:currency(EUR)`, `skip`. */

export const SKIP = 'skip'

/** An attribute that is to be made. */
export interface NewAttribute {
  readonly slug: string
  readonly type: string
  readonly isMultiselect: boolean
  readonly currency: string | undefined
}

const NEW = /^([^:]+):([a-z-]+)(?:\(([A-Z]{3})\))?(\[\])?$/

/** Undefined for what is left out, and for attributes that are there. */
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

/** The slug itself, or with the first number that makes it free. */
export function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  const slug = wanted === '' ? 'column' : wanted
  if (!taken.has(slug)) return slug
  for (let number = 2; ; number++) if (!taken.has(`${slug}_${number}`)) return `${slug}_${number}`
}
