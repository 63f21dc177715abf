/**
 * A value and where it comes from. An entity's row keeps its values in columns and, in `provenance`, only what differs
 * from the row's own creation: per attribute number one entry per value, in order, 0 for "as the row was created".
 */

import type { Scalar, Stored } from '../attribute-types/define'
import type { Micros } from '../timing/clock'

export interface Version {
  readonly stored: Stored
  readonly active_from: Micros
  /** The number of the actor who wrote it. */
  readonly actor: number
  /** Written from the other side of a relationship: this side shows the system as its actor, the other side the actor. */
  readonly mirrored: boolean
  /** Its place on the derived side of a relationship, higher first, where that is not the order of `active_from`. */
  readonly rank?: number
}

/** `[active_from, actor]`, followed by 1 when mirrored (else 0) and the rank where they are needed. */
type ProvenanceEntry = 0 | readonly [Micros, number, (0 | 1)?, Micros?]

/** What the `provenance` column holds, by attribute number. */
export type Provenance = Readonly<Record<string, readonly ProvenanceEntry[]>>

/** Who created an entity and when: the provenance of every value that has no entry. */
export interface Creation {
  readonly at: Micros
  readonly actor: number
}

/** The provenance of the `index`-th value of an attribute. */
export function versionAt(
  stored: Stored,
  entries: readonly ProvenanceEntry[] | undefined,
  index: number,
  created: Creation,
): Version {
  const entry = entries?.[index]
  if (!entry) return { stored, active_from: created.at, actor: created.actor, mirrored: false }
  const [active_from, actor, mirrored, rank] = entry
  return { stored, active_from, actor, mirrored: mirrored === 1, ...(rank === undefined ? {} : { rank }) }
}

/** The entries to keep for an attribute's values; undefined when all are as the entity was created. */
export function provenanceEntries(versions: readonly Version[], created: Creation): ProvenanceEntry[] | undefined {
  const entries = versions.map((version) => provenanceEntry(version, created))
  return entries.some((entry) => entry !== 0) ? entries : undefined
}

function provenanceEntry({ active_from, actor, mirrored, rank }: Version, created: Creation): ProvenanceEntry {
  if (rank !== undefined) return [active_from, actor, mirrored ? 1 : 0, rank]
  if (mirrored) return [active_from, actor, 1]
  return active_from === created.at && actor === created.actor ? 0 : [active_from, actor]
}

/** The values alone. */
export const storedIn = (versions: readonly Version[]): Stored[] => versions.map(({ stored }) => stored)

/**
 * The actor this side of the value shows: the system when it was mirrored.
 * See docs/reference/values.md (Relationships).
 */
export const shownActor = (version: Pick<Version, 'actor' | 'mirrored'>): number =>
  version.mirrored ? 0 : version.actor

/** Whether every member is null: no value. */
export const isEmpty = (stored: Readonly<Record<string, Scalar>>): boolean => {
  for (const member in stored) if (stored[member] !== null) return false
  return true
}
