/**
 * Checks that the stored data obeys the rules of the data model. The checks read the tables and use no code of the service.
 * Each rule returns its violations as text.
 * See docs/reference/values.md (Several values, Unique values, History, Relationships).
 */

import { type Reader } from '../service/database'
import {
  type EndedValue,
  type Entity,
  readWorkspace,
  type StoredAttribute,
  type StoredEntityType,
  type StoredValue,
  type WorkspaceTables,
} from './workspace-tables'

/** All violations in the only workspace of a database. No write may be running. */
export async function checkConsistency(reader: Reader): Promise<string[]> {
  const tables = await readWorkspace(reader)
  return [
    ...wrongKeys(tables),
    ...wrongReferences(tables),
    ...sharedPartners(tables),
    ...repeatedValues(tables),
    ...wrongProvenance(tables),
    ...wrongIntervals(tables),
    ...leftHistory(tables),
    ...wrongMerges(tables),
    ...wrongTrash(tables),
    ...wrongParents(tables),
  ]
}

/** All values of an attribute, with their entities. */
function* valuesOf({ entityTypes }: WorkspaceTables): Generator<{
  entityType: StoredEntityType
  attribute: StoredAttribute
  entity: Entity
  values: readonly StoredValue[]
}> {
  for (const entityType of entityTypes) {
    for (const attribute of entityType.attributes) {
      for (const entity of entityType.entities) {
        const values = entity.values.get(attribute.number)
        if (values) yield { entityType, attribute, entity, values }
      }
    }
  }
}

/** The unique keys are exactly the values of unique attributes. The primary key of the table prevents duplicates. */
function wrongKeys(tables: WorkspaceTables): string[] {
  const wanted = new Set<string>()
  const seen = new Set<string>()
  const problems: string[] = []
  for (const { attribute, entity, values } of valuesOf(tables)) {
    if (!attribute.is_unique) continue
    for (const value of values) {
      const entry = `${attribute.number} ${keyOf(attribute, value)}`
      if (seen.has(entry)) problems.push(`${attribute.api_slug} ${JSON.stringify(value)} is on two records`)
      seen.add(entry)
      wanted.add(`${entry} of ${entity.id}`)
    }
  }
  const kept = new Set(tables.uniques.map(({ attribute, key, entity_id }) => `${attribute} ${key} of ${entity_id}`))
  for (const key of parentKeys(tables)) kept.delete(key)
  for (const entry of wanted) if (!kept.has(entry)) problems.push(`unique key is missing: ${entry}`)
  for (const entry of kept) if (!wanted.has(entry)) problems.push(`unique key without its value: ${entry}`)
  return problems
}

/** The keys of entries that were created by asserting the entry of a record. Other entries have none. */
const parentKeys = ({ entityTypes }: WorkspaceTables): string[] =>
  entityTypes.flatMap(({ attributes, entities }) => {
    const parent = attributes.find(({ api_slug, stored_in }) => api_slug === 'parent_record' && stored_in === 'entity')
    return parent ? entities.map(({ id, parent_record_id }) => `${parent.number} ${parent_record_id} of ${id}`) : []
  })

function keyOf({ type }: StoredAttribute, value: StoredValue): string {
  const members: Readonly<Record<string, string>> = {
    'email-address': 'email_address',
    domain: 'domain',
    'phone-number': 'phone_number',
  }
  return String(value[members[type] ?? 'value'])
}

/** Every reference names an existing record of its object. */
function wrongReferences(tables: WorkspaceTables): string[] {
  const living = new Map(
    tables.entityTypes.map(({ number, entities }) => [number, new Set(entities.map(({ id }) => id))]),
  )
  const problems: string[] = []
  for (const { attribute, entity, values } of valuesOf(tables)) {
    if (attribute.type !== 'record-reference') continue
    for (const { target_object, target_record_id } of values) {
      if (!living.get(Number(target_object))?.has(String(target_record_id)))
        problems.push(`${attribute.api_slug} of ${entity.id} refers to ${target_record_id}, which is not there`)
    }
  }
  return problems
}

/** No two records may have the same partner in a one-to-one relationship, or the same entity on a derived side with one value. */
function sharedPartners(tables: WorkspaceTables): string[] {
  const byId = new Map(tables.entityTypes.flatMap(({ attributes }) => attributes.map((each) => [each.id, each])))
  const seen = new Set<string>()
  const problems: string[] = []
  for (const { attribute, entity, values } of valuesOf(tables)) {
    const partner = byId.get(attribute.relationship_attribute_id ?? '')
    if (!partner || partner.is_multiselect) continue
    for (const { target_record_id } of values) {
      const link = `${attribute.number} ${target_record_id}`
      if (seen.has(link)) problems.push(`${attribute.api_slug} of ${entity.id} shares ${target_record_id} with another`)
      seen.add(link)
    }
  }
  return problems
}

function repeatedValues(tables: WorkspaceTables): string[] {
  return [...valuesOf(tables)]
    .filter(({ values }) => new Set(values.map((value) => JSON.stringify(value))).size < values.length)
    .map(({ attribute, entity }) => `${attribute.api_slug} of ${entity.id} has a value twice`)
}

/** Counts refreshes beside the provenance of values. */
const REFRESHES = 'refreshes'

/** Either all values of an attribute have a provenance, or none. */
function wrongProvenance(tables: WorkspaceTables): string[] {
  const problems: string[] = []
  for (const { attributes, entities } of tables.entityTypes) {
    const slugs = new Map(attributes.map(({ number, api_slug }) => [String(number), api_slug]))
    for (const { id, provenance, values } of entities) {
      for (const [number, entries] of Object.entries(provenance)) {
        if (number === REFRESHES) continue
        const count = values.get(Number(number))?.length ?? 0
        if (entries.length !== count)
          problems.push(`${slugs.get(number)} of ${id} has ${count} values and ${entries.length} provenances`)
      }
    }
  }
  return problems
}

/** Values end after they begin. An attribute with one value had at most one active value at any time. */
function wrongIntervals(tables: WorkspaceTables): string[] {
  const problems = tables.history
    .filter(({ active_from, active_until }) => active_from >= active_until)
    .map((ended) => `value of ${ended.entity_id} ends before it begins: ${JSON.stringify(ended)}`)
  const past = Map.groupBy(tables.history, ({ entity_id, attribute }) => `${attribute} ${entity_id}`)
  for (const { attributes, entities } of tables.entityTypes) {
    for (const attribute of attributes.filter(({ is_multiselect }) => !is_multiselect)) {
      for (const entity of entities) {
        const ended = past.get(`${attribute.number} ${entity.id}`) ?? []
        problems.push(...overlaps(attribute, entity, ended))
      }
    }
  }
  return problems
}

function overlaps(attribute: StoredAttribute, entity: Entity, ended: readonly EndedValue[]): string[] {
  const ordered = ended.toSorted((a, b) => a.active_from - b.active_from)
  const begins = entity.values.has(attribute.number) ? [currentFrom(attribute, entity)] : []
  const starts = [...ordered.map(({ active_from }) => active_from), ...begins]
  return ordered.flatMap(({ active_until }, index) => {
    const next = starts[index + 1]
    return next !== undefined && next < active_until
      ? [`${attribute.api_slug} of ${entity.id} had two values at ${active_until}`]
      : []
  })
}

/** The time since which a value is active, in microseconds: from its provenance, else the creation of the record. */
function currentFrom({ number }: StoredAttribute, { provenance, created_at }: Entity): number {
  const entry = provenance[String(number)]?.[0]
  return Array.isArray(entry) ? Number(entry[0]) : microsOf(created_at)
}

const microsOf = (timestamp: string): number =>
  Number(Temporal.Instant.from(timestamp.replace(' ', 'T')).epochNanoseconds / 1000n)

/** A deleted record has no history, except for relationships, which the other side keeps. */
function leftHistory(tables: WorkspaceTables): string[] {
  const living = new Set(tables.entityTypes.flatMap(({ entities }) => entities.map(({ id }) => id)))
  const restorable = living.union(new Set(tables.trash.map(({ id }) => id)))
  const attributes = tables.entityTypes.flatMap((entityType) => entityType.attributes)
  const byNumber = new Map(attributes.map((attribute) => [attribute.number, attribute]))
  return tables.history.flatMap(({ entity_id, attribute: number, value }) => {
    if (living.has(entity_id)) return []
    const attribute = byNumber.get(number)
    const isTold =
      attribute?.relationship_attribute_id != null &&
      (restorable.has(entity_id) || restorable.has(String(value.target_record_id)))
    return isTold ? [] : [`history of ${attribute?.api_slug} outlived ${entity_id}`]
  })
}

/** A record that was merged into another is deleted and redirects to the result of the merge. */
function wrongMerges(tables: WorkspaceTables): string[] {
  const living = new Set(tables.entityTypes.flatMap(({ entities }) => entities.map(({ id }) => id)))
  return tables.merges
    .filter(({ old_id }) => living.has(old_id))
    .map(({ old_id, new_id }) => `${old_id} was merged into ${new_id} and is still there`)
}

/** A record in the trash is not there as well, and the trash has no parts of a record that it does not have. */
function wrongTrash(tables: WorkspaceTables): string[] {
  const living = new Set(tables.entityTypes.flatMap(({ entities }) => entities.map(({ id }) => id)))
  const trashed = new Set(tables.trash.map(({ id }) => id))
  return [
    ...[...trashed.intersection(living)].map((id) => `${id} is in the trash and is still there`),
    ...tables.trashedParts
      .filter(({ record_id }) => !trashed.has(record_id))
      .map(({ record_id }) => `the trash has parts of ${record_id}, which is not in it`),
  ]
}

/** The parent record of every entry exists. */
function wrongParents(tables: WorkspaceTables): string[] {
  const living = new Set(tables.entityTypes.flatMap(({ entities }) => entities.map(({ id }) => id)))
  return tables.entityTypes.flatMap(({ entities }) =>
    entities
      .filter(({ parent_record_id }) => parent_record_id !== undefined && !living.has(parent_record_id))
      .map(({ id, parent_record_id }) => `the parent ${parent_record_id} of ${id} does not exist`),
  )
}
