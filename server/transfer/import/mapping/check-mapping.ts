/** Checks a mapping against the data model and the rows of a file, and writes nothing. */

import { getObject, isRecordId } from '#engine/data-model/find'
import { withoutEscape } from '#base/text/csv-line'
import { type Attribute, type DataModel, indexEntityTypes, type ObjectType } from '#engine/data-model/model'
import type { CsvRow } from '#transfer/import/csv/split-rows'
import { bindColumns, findMissingAttributes, type MissingAttribute, requestedConfig } from './bind-columns'
import type { Mapping } from './mapping'
import { attributeType } from '#engine/attribute-types/registry'
import { type Binding, ImportError } from '#transfer/import/import-context'
import { splitTitles } from '#transfer/import/convert/converters'
import { MAX_TITLE_CHARACTERS } from '#transfer/import/convert/readers'
import { parseConfig } from '#engine/attribute-types/definition/config'
import { buildAttribute, buildOption } from '#engine/workspaces/build-attribute'

/** Attributes and options that the file needs and the data model does not have. `policies.ts` says what happens to them. */
export interface MissingDefinitions {
  readonly attributes: readonly MissingAttribute[]
  /** Titles, by the slug of their attribute. */
  readonly options: ReadonlyMap<string, readonly string[]>
}

export interface CheckedMapping {
  readonly missing: MissingDefinitions
  /** The data model with the missing attributes and options. */
  readonly plannedModel: DataModel
}

/** Reads all rows once when columns go to attributes with options. Throws `ImportError` for an invalid mapping. */
export async function checkMapping(
  model: DataModel,
  objectId: string,
  { header, rows }: { readonly header: readonly string[]; readonly rows: AsyncIterable<readonly CsvRow[]> },
  { columns }: Mapping,
): Promise<CheckedMapping> {
  const object = getObject(model, objectId)
  const attributes = findMissingAttributes(object, columns)
  const extended = withAttributes(model, object, attributes)
  const bindings = bindColumns(extended, getObject(extended, objectId), header, columns)
  const titlesById = await findMissingOptions(rows, bindings)
  const slugOf = (id: string) => extended.attributesById.get(id)?.api_slug ?? id
  return {
    missing: { attributes, options: new Map([...titlesById].map(([id, titles]) => [slugOf(id), titles])) },
    plannedModel: withOptions(extended, getObject(extended, objectId), titlesById),
  }
}

// Finds the options that select and status columns name and that do not exist.

/** A column with more new options holds texts. */
const MAX_NEW_OPTIONS = 2000
/** Cells mostly repeat; further different cells are split each time. */
const MAX_CACHED_CELLS = 1000

/** Titles in the order of the file, by the id of their attribute. Attributes without missing options are left out. */
async function findMissingOptions(
  rows: AsyncIterable<readonly CsvRow[]>,
  bindings: readonly Binding[],
): Promise<Map<string, string[]>> {
  const withOptions = bindings.filter(({ attribute }) => attributeType(attribute.type).optionKind !== undefined)
  if (withOptions.length === 0) return new Map()
  const isExact = bindings.some(({ attribute }) => isRecordId(attribute))
  const collectors = withOptions.map((binding) => createCollector(binding, isExact))
  for await (const chunk of rows) {
    for (const { cells } of chunk) for (const collector of collectors) collector.read(cells)
  }
  return new Map(
    collectors.flatMap(({ attribute, missing }) =>
      missing.size > 0 ? [[attribute.id, [...missing.values()]] as const] : [],
    ),
  )
}

function createCollector({ attribute, columns }: Binding, isExact: boolean) {
  // Archived options count as existing, since a second option of the same title cannot be created.
  const existing = new Set(attribute.options.map(({ title }) => keyOf(title)))
  const missing = new Map<string, string>()
  const isOption = (title: string) => existing.has(keyOf(title))
  const readBefore = new Set<string>()
  return {
    attribute,
    missing,
    read(cells: readonly string[]): void {
      for (const { index } of columns) {
        const cell = cells[index] ?? ''
        const text = isExact ? withoutEscape(cell) : cell
        if (readBefore.has(text)) continue
        if (readBefore.size < MAX_CACHED_CELLS) readBefore.add(text)
        for (const title of splitTitles(text, attribute, isOption)) {
          // A title that is too long is left out row by row.
          if (isOption(title) || title.length > MAX_TITLE_CHARACTERS || missing.has(keyOf(title))) continue
          missing.set(keyOf(title), title)
          if (missing.size > MAX_NEW_OPTIONS) throw tooManyOptions(attribute, columns[0]?.name ?? '')
        }
      }
    },
  }
}

const keyOf = (title: string): string => title.trim().toLowerCase()

const tooManyOptions = ({ api_slug }: Attribute, column: string) =>
  new ImportError(
    `"${column}" has more than ${MAX_NEW_OPTIONS} values that are not options of "${api_slug}"; map it to an attribute of type text.`,
  )

// The data model with the attributes and options that an import would create, for checking a file before it creates them.

/** Larger than any number in the database, so that no stored attribute or option has such a number. */
const FIRST_PLANNED = 2 ** 31

/** Whether the attribute has columns in the database. */
export const isStored = ({ number }: Attribute): boolean => number < FIRST_PLANNED

function withAttributes(model: DataModel, object: ObjectType, missing: readonly MissingAttribute[]): DataModel {
  const planned = missing.map((attribute, index) => {
    const { title, api_slug, type, is_multiselect } = attribute
    const config = parseConfig(model, type, requestedConfig(attribute))
    return buildAttribute(
      { title, api_slug, type, is_multiselect, config },
      { entity_type_id: object.id, number: FIRST_PLANNED + index, created_at: object.created_at },
    )
  })
  return withObject(model, { ...object, attributes: [...object.attributes, ...planned] })
}

/** Adds options to the attributes with these ids. */
function withOptions(model: DataModel, object: ObjectType, titles: ReadonlyMap<string, readonly string[]>): DataModel {
  const attributes = object.attributes.map((attribute) => {
    const added = (titles.get(attribute.id) ?? []).map((title, index) => buildOption(FIRST_PLANNED + index, title))
    return added.length > 0 ? { ...attribute, options: [...attribute.options, ...added] } : attribute
  })
  return withObject(model, { ...object, attributes })
}

function withObject(model: DataModel, object: ObjectType): DataModel {
  const entityTypes = model.entityTypes.map((entityType) => (entityType.id === object.id ? object : entityType))
  return { ...model, ...indexEntityTypes(entityTypes) }
}
