import { type ListedIndex, listIndexes, pinIndex, rebuildIndex, refuseIndex } from '#engine/indexes/manage'
import { CommandError, defineWorkspaceCommand, printTable, UsageError } from '#run/cli/command'
import { attributeType } from '#engine/attribute-types/registry'
import type { Property } from '#engine/attribute-types/define'
import { findAttribute, findList, findObject } from '#engine/data-model/find'
import { COMMAND } from '#db/program'
import { loadDataModel } from '#engine/data-model/load'
import type { Attribute } from '#engine/data-model/model'
import { describePropertyIndex } from '#engine/indexes/describe/property-index'

const HEADINGS = ['name', 'of', 'kind', 'state', 'size', 'scans', 'requests', 'last used', 'built in', 'requested by']

export const indexesList = defineWorkspaceCommand({
  name: 'indexes list',
  summary: 'Lists the indexes of the index advisor with their state, and queries that requested them.',
  options: {},
  async run({ id }, _args, { db, print }) {
    printTable(print, HEADINGS, (await listIndexes(db, id)).flatMap(rowsOf))
  },
})

/** One row for the index, and one for each further query that requested it. */
function rowsOf(index: ListedIndex): string[][] {
  const [first = '', ...others] = index.requested_by
  return [[...cells(index), first], ...others.map((query) => [...HEADINGS.slice(1).map(() => ''), query])]
}

const cells = (index: ListedIndex): string[] => [
  index.name,
  [index.entityType, index.attributes.join('+')].filter((each) => each !== '').join('.'),
  index.kind,
  stateOf(index),
  index.size ?? '',
  index.scans === null ? '' : String(index.scans),
  String(index.requests),
  index.last_used_at?.slice(0, 16) ?? '',
  index.build_ms === null ? '' : `${(index.build_ms / 1000).toFixed(1)} s`,
]

const stateOf = ({ state, is_pinned, error }: ListedIndex): string => {
  const shown = state === 'ready' && is_pinned ? 'pinned' : state
  return error === null ? shown : `${shown}: ${error}`
}

const KINDS = ['ordered', 'descending', 'exact', 'elements', 'trigram'] as const

export const indexesWant = defineWorkspaceCommand({
  name: 'indexes want',
  summary: 'Makes the service build an index and keep it even if it is rarely used.',
  positionals: ['<object or list>', '<attribute>'],
  options: {
    kind: {
      kind: 'text',
      value: '<kind>',
      description:
        'ordered or descending for sorts and ranges, exact or elements for equal values, trigram for parts of text.',
    },
    field: {
      kind: 'text',
      value: '<field>',
      description: 'The field of the values. Default: the default field of the attribute type.',
    },
  },
  async run({ id }, { options, positionals }, { db, print }) {
    const [entityTypeSlug = '', attributeSlug = ''] = positionals
    const model = await loadDataModel(db, id)
    const entityType = findObject(model, entityTypeSlug) ?? findList(model, entityTypeSlug)
    if (!entityType) throw new CommandError(`There is no object or list "${entityTypeSlug}".`)
    const attribute = findAttribute(entityType, attributeSlug)
    if (!attribute) throw new CommandError(`"${entityTypeSlug}" has no attribute "${attributeSlug}".`)
    const property = readField(attribute, options.field)
    const index = describePropertyIndex(
      entityType,
      attribute,
      property,
      readKind(options.kind) ?? usualKind(attribute, property),
    )
    if (!index) throw new CommandError('No such index would help, or the table has had it from the start.')
    await pinIndex(db, model, entityType, index)
    print(`The running service builds ${index.name}.`)
  },
})

function readKind(word: string | undefined): (typeof KINDS)[number] | undefined {
  const kind = KINDS.find((each) => each === word)
  if (kind || word === undefined) return kind
  throw new UsageError(`--kind is one of ${KINDS.join(', ')}, not "${word}".`)
}

function readField({ type }: Attribute, name: string | undefined): Property {
  const { properties, defaultProperty } = attributeType(type)
  const property = properties[name ?? defaultProperty ?? '']
  if (property) return property
  throw new UsageError(`--field is one of ${Object.keys(properties).join(', ')} for attributes of type ${type}.`)
}

function usualKind({ is_multiselect, type }: Attribute, property: Property): (typeof KINDS)[number] {
  if (is_multiselect) return 'elements'
  const isText = property.source === 'column' && attributeType(type).columns[property.column] === 'text'
  return isText ? 'exact' : 'ordered'
}

export const indexesRebuild = defineWorkspaceCommand({
  name: 'indexes rebuild',
  summary: 'Makes the service rebuild all indexes of the index advisor, including failed ones.',
  options: {},
  async run({ id }, _args, { db, print }) {
    const model = await loadDataModel(db, id)
    const indexes = (await listIndexes(db, id)).filter(({ state }) => state === 'ready' || state === 'failed')
    for (const { name } of indexes) await rebuildIndex(db, model, name)
    print(`The running service rebuilds ${indexes.length} indexes.`)
  },
})

export const indexesDrop = defineWorkspaceCommand({
  name: 'indexes drop',
  summary: 'Drops an index of the index advisor. It is not built again unless you request it with indexes want.',
  positionals: ['<name>'],
  options: {},
  async run({ id }, { positionals: [name = ''] }, { db, print }) {
    if (!(await refuseIndex(db, await loadDataModel(db, id), name))) {
      throw new CommandError(`There is no index "${name}"; see ${COMMAND} indexes list.`)
    }
    print(`${name} is dropped.`)
  },
})
