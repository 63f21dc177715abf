/**
 * Who wrote each value and since when it is active. The column `provenance` holds only what differs from the creation of the
 * row: it maps an attribute number to one entry for each value, in their order. The entry 0 means "created with the row".
 */

import type { Stored } from '#engine/attribute-types/define'
import type { Attribute } from '#engine/data-model/model'
import type { Micros } from '#base/timing/clock'

/** A value with its provenance. */
export interface DatedValue {
  readonly stored: Stored
  readonly active_from: Micros
  /** The number of the actor who wrote it. */
  readonly actor: number
  /** Whether it was written from the other side of a relationship. This side then shows the system as its actor. */
  readonly writtenFromOtherSide: boolean
  /** Its rank on the derived side of a relationship, highest first, where that differs from the order of `active_from`. */
  readonly rank?: number
}

/** `[active_from, actor]`, followed by 1 when written from the other side (else 0) and the rank where they are needed. */
type ProvenanceEntry = 0 | readonly [Micros, number, (0 | 1)?, Micros?]

/** The content of the column `provenance`, by attribute number. */
export type Provenance = Readonly<Record<string, readonly ProvenanceEntry[]>>

/** When and by whom an entity was created: the provenance of every value without an entry. */
export interface Creation {
  readonly at: Micros
  readonly actor: number
}

/** When and by whom an entity is written, and whether from the other side of a relationship. */
export interface Stamp {
  readonly now: Micros
  readonly actor: number
  readonly writtenFromOtherSide?: boolean
}

/** Parses the text of the column. */
export const parseProvenance = (text: string | null): Provenance | null =>
  text === null ? null : (JSON.parse(text) as Provenance) // `provenanceEntries` makes its entries

/** Whether all values of an attribute were created with their entity. */
export const isAsCreated = (provenance: Provenance | null, { number }: Attribute): boolean =>
  provenance?.[number] === undefined

/** A value with its provenance, which is the `index`-th of the entries. */
export function datedValueAt(
  stored: Stored,
  entries: readonly ProvenanceEntry[] | undefined,
  index: number,
  created: Creation,
): DatedValue {
  const entry = entries?.[index]
  if (!entry) return { stored, active_from: created.at, actor: created.actor, writtenFromOtherSide: false }
  const [active_from, actor, writtenFromOtherSide, rank] = entry
  return {
    stored,
    active_from,
    actor,
    writtenFromOtherSide: writtenFromOtherSide === 1,
    ...(rank === undefined ? {} : { rank }),
  }
}

/** The entries of an attribute's values; undefined when all values were created with the entity. */
export function provenanceEntries(
  datedValues: readonly DatedValue[],
  created: Creation,
): ProvenanceEntry[] | undefined {
  const entries: ProvenanceEntry[] = []
  let differs = false
  for (const datedValue of datedValues) {
    const entry = provenanceEntry(datedValue, created)
    entries.push(entry)
    differs ||= entry !== 0
  }
  return differs ? entries : undefined
}

function provenanceEntry(
  { active_from, actor, writtenFromOtherSide, rank }: DatedValue,
  created: Creation,
): ProvenanceEntry {
  if (rank !== undefined) return [active_from, actor, writtenFromOtherSide ? 1 : 0, rank]
  if (writtenFromOtherSide) return [active_from, actor, 1]
  return active_from === created.at && actor === created.actor ? 0 : [active_from, actor]
}

/** The entry of a value, also of one that was created with its entity. */
export const explicitEntry = ({ active_from, actor, writtenFromOtherSide, rank }: DatedValue) =>
  [active_from, actor, writtenFromOtherSide ? 1 : 0, ...(rank === undefined ? [] : [rank])] as const

/** The content of the column after a write that gives attributes these entries. */
export function withEntries(
  before: Provenance | null,
  written: readonly { readonly attribute: Attribute; readonly entries: ProvenanceEntry[] | undefined }[],
): Provenance | null {
  const provenance: Record<string, readonly ProvenanceEntry[]> = { ...before }
  for (const { attribute, entries } of written) {
    if (entries) provenance[attribute.number] = entries
    else delete provenance[attribute.number]
  }
  return Object.keys(provenance).length > 0 ? provenance : null
}

/** Where the column counts the refreshes of computed attributes. Other keys are numbers. See docs/decisions/contacts-and-interactions.md. */
const REFRESHES = 'refreshes'

/** How many writes of the row were refreshes of computed attributes, which clients do not see in its version. */
export const refreshesOf = (provenance: Provenance | null): number => {
  const entry = provenance?.[REFRESHES]?.[0]
  return entry ? entry[0] : 0
}

/** Counts one more refresh. */
export const withRefresh = (provenance: Provenance | null): Provenance =>
  withRefreshes(provenance, refreshesOf(provenance) + 1)

/** With this number of refreshes. */
export const withRefreshes = (provenance: Provenance | null, count: number): Provenance => ({
  ...provenance,
  [REFRESHES]: [[count, 0]],
})

/** SQL of one entry of a `provenance` column; `index` counts the attribute's values from 0. */
export const provenanceSql = (column: string, attribute: number, index: string): string =>
  `${column}->'${attribute}'->${index}`

/** SQL of the instant since which a value is active, from its entry. */
export const activeFromSql = (entry: string, createdAt: string): string =>
  `coalesce(timestamptz 'epoch' + (${entry}->>0)::bigint * interval '1 microsecond', ${createdAt})`

/** SQL of the actor who wrote a value. */
export const actorSql = (entry: string, createdBy: string): string => `coalesce((${entry}->>1)::int, ${createdBy})`

/** SQL of whether a value was written from the other side of its relationship. */
export const writtenFromOtherSideSql = (entry: string): string => `coalesce(${entry}->>2 = '1', false)`

/** SQL of the rank of a value on the derived side of its relationship; `createdAt` is in microseconds. */
export const rankSql = (entry: string, createdAt: string): string =>
  `coalesce((${entry}->>3)::bigint, (${entry}->>0)::bigint, ${createdAt})`

/** SQL of an instant in microseconds. */
export const microsSql = (instant: string): string => `(extract(epoch from ${instant}) * 1000000)::bigint`

/** The values without their provenance. */
export const storedIn = (datedValues: readonly DatedValue[]): Stored[] => datedValues.map(storedOf)

const storedOf = ({ stored }: DatedValue): Stored => stored

/**
 * The actor that this side of a relationship shows: the system if the value was written from the other side.
 * See docs/reference/values.md (Relationships).
 */
export const shownActor = (datedValue: Pick<DatedValue, 'actor' | 'writtenFromOtherSide'>): number =>
  datedValue.writtenFromOtherSide ? 0 : datedValue.actor
