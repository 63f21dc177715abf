/** Reads and writes targets of columns: `name`, `stage:select`, `tags:select[]`, `budget:currency(EUR)`, `office.locality:location`, `skip`. */

export const SKIP = 'skip'
/** The target of a column with the ids of records, which match rows with records. */
export const RECORD_ID = 'record_id'

/** An attribute that the import creates. */
export interface NewAttribute {
  readonly slug: string
  /** The part of a value that the column has. Absent for whole values. */
  readonly part?: string
  readonly type: string
  readonly isMultiselect: boolean
  readonly currency: string | undefined
}

const NEW = /^([^:.]+)(?:\.([a-z0-9_]+))?:([a-z-]+)(?:\(([A-Z]{3})\))?(\[\])?$/

/** The new attribute of a target; undefined for present attributes and skipped columns. */
export function readNew(target: string): NewAttribute | undefined {
  const [, slug, part, type, currency, several] = NEW.exec(target) ?? []
  return slug === undefined || type === undefined
    ? undefined
    : { slug, ...(part !== undefined && { part }), type, currency, isMultiselect: several !== undefined }
}

export const isNew = (target: string): boolean => readNew(target) !== undefined

export function newTarget({ slug, part, type, isMultiselect, currency }: NewAttribute): string {
  const code = currency === undefined ? '' : `(${currency})`
  return `${slug}${part === undefined ? '' : `.${part}`}:${type}${code}${isMultiselect ? '[]' : ''}`
}

/** The parts of new attributes, which several columns can have together. */
export const partTargets = (
  targets: Iterable<string>,
  partsOf: (type: string) => readonly string[],
): { readonly target: string; readonly slug: string; readonly part: string; readonly type: string }[] => {
  const made = new Map([...targets].flatMap((target) => readNew(target) ?? []).map((one) => [one.slug, one]))
  return [...made.values()].flatMap((attribute) =>
    partsOf(attribute.type).map((part) => ({ ...attribute, part, target: newTarget({ ...attribute, part }) })),
  )
}

/** The slug, with a number if it is taken. */
export function freeSlug(suggested: string, taken: ReadonlySet<string>): string {
  const slug = suggested === '' ? 'column' : suggested
  if (!taken.has(slug)) return slug
  for (let number = 2; ; number++) if (!taken.has(`${slug}_${number}`)) return `${slug}_${number}`
}
