/** Templates of emails: their rows, their variables, and their texts for a record. See docs/reference/sending-email.md (Templates). */
import type { Selectable } from 'kysely'
import type { ValidationIssue } from '#base/errors/api-error'
import { findClosest } from '#base/text/find-closest'
import type { ApiContext } from '#context'
import type { Sql } from '#db/connect'
import type { EmailTemplatesTable } from '#db/schema'
import { attributeType } from '#engine/attribute-types/registry'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import { findObject, visibleAttributes } from '#engine/data-model/find'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import { missingRecord } from '#engine/entities/read/etag'
import { rendererOf } from '#engine/entities/read/render'
import { textsOfEntity } from '#engine/query/export/csv'
import { findRow } from '#engine/storage/read-entities'
import { isUuid } from '#vocabulary/uuids'

export type TemplateRow = Selectable<EmailTemplatesTable>

/** Undefined for a template that does not exist, and for one of an object that the member does not see. */
export async function findTemplate(on: Sql, model: DataModel, id: string): Promise<TemplateRow | undefined> {
  if (!isUuid(id)) return undefined
  const row = await controlQueriesIn(on)
    .selectFrom('relata.email_templates')
    .selectAll()
    .where(equal({ workspace_id: model.workspace.id, id: id.toLowerCase() }))
    .executeTakeFirst()
  return row && isVisible(model, row) ? row : undefined
}

/** In the order of their names. */
export async function listTemplates(on: Sql, model: DataModel): Promise<TemplateRow[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.email_templates')
    .selectAll()
    .where('workspace_id', '=', model.workspace.id)
    .orderBy('name')
    .orderBy('id')
    .execute()
  return rows.filter((row) => isVisible(model, row))
}

const isVisible = (model: DataModel, { object_id }: TemplateRow): boolean =>
  !isHiddenObjectId(model, object_id) && findObject(model, object_id) !== undefined

/** The names that the texts of a template of the object can use. */
export function variablesOf(model: DataModel, object: ObjectType, hasLink: boolean): Set<string> {
  const attributes = textAttributes(model, object)
  return new Set([
    ...nameParts(attributes).map(({ part }) => part),
    ...attributes.map(({ api_slug }) => api_slug),
    ...(hasLink ? [UNSUBSCRIBE_URL] : []),
  ])
}

/** Those whose values are texts for people. */
const textAttributes = (model: DataModel, object: ObjectType): Attribute[] =>
  visibleAttributes(model, object).filter(
    ({ type, is_archived }) => !is_archived && attributeType(type).sql.form !== 'actor',
  )

/** The parts of the name of a person, which have names of their own: `first_name`. */
function nameParts(attributes: readonly Attribute[]): { readonly part: string; readonly slug: string }[] {
  for (const { type, api_slug: slug } of attributes) {
    const { nameMember, sql } = attributeType(type)
    if (nameMember !== undefined && sql.form === 'struct') return sql.fields.map(({ name: part }) => ({ part, slug }))
  }
  return []
}

export interface FilledTemplate {
  readonly subject: string
  readonly text: string
  /** The variables that have neither a value nor a fallback. */
  readonly missing: readonly string[]
}

/** The texts of a template for a record. Throws 404 for a record that the member does not see. */
export async function fillTemplate(
  context: ApiContext,
  object: ObjectType,
  { subject, body }: Pick<TemplateRow, 'subject' | 'body'>,
  recordId: string,
): Promise<FilledTemplate> {
  const texts = await readTexts(context, object, recordId)
  const [line, text] = [fillVariables(subject, texts), fillVariables(body, texts)]
  // A value may have several lines, and a header has one.
  const oneLine = line.text.replaceAll(/\p{Cc}+/gu, ' ').trim()
  return { subject: oneLine, text: text.text, missing: [...new Set([...line.missing, ...text.missing])] }
}

type RenderedValues = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

async function readTexts(context: ApiContext, object: ObjectType, id: string): Promise<ReadonlyMap<string, string>> {
  const { db, model } = context
  const row = isUuid(id) ? await findRow(db.sql, model, object, id.toLowerCase()) : undefined
  if (row === undefined) throw await missingRecord(context, object, id)
  const values = JSON.parse(rendererOf(model, object).renderValues(row)) as RenderedValues // as the API has it
  const attributes = textAttributes(model, object)
  const texts = new Map(await textsOfEntity(context, object, attributes, values))
  for (const { part, slug } of nameParts(attributes)) {
    const text = values[slug]?.[0]?.[part]
    if (typeof text === 'string') texts.set(part, text)
  }
  return texts
}

/** The address at which the recipient unsubscribes. It is replaced when the email is sent. */
const UNSUBSCRIBE_URL = 'unsubscribe_url'

const VARIABLE = /\{\{([^{}]{0,500})\}\}/g

/** A variable in a text, such as `{{first_name}}` and `{{first_name | there}}`. */
interface Variable {
  readonly name: string
  /** The text where the record has no value; undefined without one. */
  readonly fallback: string | undefined
}

function parseVariable(inside: string): Variable {
  const bar = inside.indexOf('|')
  if (bar === -1) return { name: inside.trim(), fallback: undefined }
  return { name: inside.slice(0, bar).trim(), fallback: inside.slice(bar + 1).trim() }
}

/** The issues of variables that do not exist, with the nearest name. */
export function unknownVariables(
  text: string,
  names: ReadonlySet<string>,
  path: readonly (string | number)[],
): ValidationIssue[] {
  const found = [...text.matchAll(VARIABLE)].map(([, inside = '']) => parseVariable(inside).name)
  return [...new Set(found)]
    .filter((name) => !names.has(name))
    .map((name) => {
      const closest = findClosest(name, names)
      const message = `Unknown variable "${name}"${closest === undefined ? '' : `; did you mean "${closest}"?`}`
      return { code: 'invalid', path: [...path], message, ...(closest === undefined ? {} : { did_you_mean: closest }) }
    })
}

interface FilledText {
  readonly text: string
  /** The variables that have neither a value nor a fallback. */
  readonly missing: readonly string[]
}

/** Replaces the variables by the texts of a record. The one of the link stays. */
export function fillVariables(text: string, texts: ReadonlyMap<string, string>): FilledText {
  const missing = new Set<string>()
  const filled = text.replaceAll(VARIABLE, (whole, inside: string) => {
    const { name, fallback } = parseVariable(inside)
    if (name === UNSUBSCRIBE_URL) return whole
    const value = texts.get(name) ?? ''
    if (value === '' && fallback === undefined) missing.add(name)
    return value === '' ? (fallback ?? '') : value
  })
  return { text: filled, missing: [...missing] }
}

export const fillUnsubscribeUrl = (text: string, url: string): string =>
  text.replaceAll(VARIABLE, (whole, inside: string) => (parseVariable(inside).name === UNSUBSCRIBE_URL ? url : whole))
