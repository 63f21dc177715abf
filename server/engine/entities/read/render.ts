/**
 * Renders a row to the `values` of a record or the `entry_values` of an entry, as JSON text. A renderer is compiled once per
 * version of the data model and entity type, because every read runs it. See docs/reference/values.md (The form of a value).
 */

import type { RowMessage } from '#db/driver/row-messages'
import { renderActor } from '#engine/attribute-types/actor-reference'
import { attributeType } from '#engine/attribute-types/registry'
import { type Attribute, type DataModel, type EntityType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { type Micros, timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import {
  compileLayout,
  createdAtText,
  creationOf,
  creatorOf,
  type LaidOutAttribute,
  type Layout,
  layoutOf,
  POSITION,
  provenanceOf,
  type Row,
} from '#engine/storage/layout'
import type { ByteWriter } from '#base/text/byte-writer'
import { markLongText } from '#base/text/marked-json'
import { type DatedValue, isAsCreated, parseProvenance, type Provenance, shownActor } from '#engine/storage/provenance'
import {
  areNull,
  type ColumnCopy,
  compileCopy,
  compileCreatedHead,
  compileSeparators,
  type CreatedHead,
} from './copy-columns'

export interface Renderer {
  readonly layout: Layout
  /** The values map of a row read with `layout.select`. */
  renderValues(row: Row): string
  /** The row with marks in place of long texts, which are added to `longTexts`. */
  markLongTexts(row: Row, longTexts: string[]): Row
  /** Appends what `writeHead` appends, the values map, and a closing brace. */
  renderMessage(message: RowMessage, writer: ByteWriter, writeHead: HeadWriter): void
}

/** Appends the members of an entity before its values. `row` decodes the columns that all entities have. */
export type HeadWriter = (writer: ByteWriter, message: RowMessage, row: () => Row) => void

/** Appends a text that is made of the decoded row. */
export const headAsText =
  (render: (row: Row) => string): HeadWriter =>
  (writer, _message, row) =>
    writer.text(render(row()))

const renderers = new WeakMap<EntityType, Renderer>()

/** The renderer of the attributes that answers show. It is cached with the entity type, so for one version of the data model. */
export function rendererOf(model: DataModel, entityType: EntityType): Renderer {
  const cached = renderers.get(entityType)
  if (cached) return cached
  const renderer = rendererWith(model, layoutOf(model, entityType))
  renderers.set(entityType, renderer)
  return renderer
}

/** A renderer of some attributes of an entity type, in their order. It is not cached. */
export const compileRenderer = (model: DataModel, entityType: EntityType, attributes: readonly Attribute[]): Renderer =>
  rendererWith(model, compileLayout(model, entityType, attributes))

/** Compiles an attribute when the first entity has a value of it, because most workspaces use a part of the standard attributes. */
function rendererWith(model: DataModel, layout: Layout): Renderer {
  const laidOut = layout.attributes.map(withoutHiddenTargets)
  const parts: (RenderedAttribute | undefined)[] = []
  const partAt = (index: number, laidOutAttribute: LaidOutAttribute): RenderedAttribute =>
    (parts[index] ??= compilePart(laidOutAttribute, model))
  const between = compileBetween(layout.attributes)
  const actor = renderActor(model)
  const createdHead = compileCreatedHead((at, by) => createdHeadOf(at, actor(by)))
  const systemHead = compileCreatedHead((at) => createdHeadOf(at, actor(SYSTEM_ACTOR)))
  const renderFromMessage = compileMessageRenderer(laidOut, partAt, between, systemHead)
  return {
    layout,
    renderMessage(message, writer, writeHead) {
      let decoded: unknown[] | undefined
      const row = () => (decoded ??= decodeHead(message, layout))
      writeHead(writer, message, row)
      const provenance = provenanceIn(message)
      renderFromMessage(writer, message, { row, provenance, created: createdHead(message) })
    },
    markLongTexts: (row, longTexts) => markInColumns(row, laidOut, longTexts),
    renderValues(row) {
      const provenance = provenanceOf(row)
      const headOf = (by: number) => flat(createdHeadOf(createdAtText(row), actor(by)))
      const createdHead = headOf(creatorOf(row))
      let systemHead: string | undefined
      let text = ''
      let rendered = 0
      for (let index = 0; index < laidOut.length; index++) {
        const attribute = laidOut[index]
        if (!attribute || attribute.isEmpty(row)) continue
        const head = attribute.isOfSystem === true ? (systemHead ??= headOf(SYSTEM_ACTOR)) : createdHead
        text += between(rendered, index + 1) + partAt(index, attribute).render(row, head, provenance)
        rendered = index + 1
      }
      return text + between(rendered, laidOut.length + 1)
    },
  }
}

/** The columns of attributes have no longer string that is not a text. */
function markInColumns(row: Row, attributes: readonly LaidOutAttribute[], longTexts: string[]): Row {
  let marked: unknown[] | undefined
  for (const { positions } of attributes)
    for (const column of positions) {
      const value = row[column]
      if (typeof value !== 'string') continue
      const mark = markLongText(value, longTexts)
      if (mark !== value) (marked ??= [...row])[column] = mark
    }
  return marked ?? row
}

function decodeHead(message: RowMessage, { headPositions }: Layout): unknown[] {
  const row: unknown[] = []
  for (const position of headPositions) row[position] = message.value(position)
  return row
}

const provenanceIn = ({ lengths, value }: RowMessage): Provenance | null =>
  lengths[POSITION.provenance] === -1 ? null : parseProvenance(value(POSITION.provenance) as string) // jsonb comes as text

/** Leaves out values that refer to hidden records, in the model of a member. */
function withoutHiddenTargets(laidOut: LaidOutAttribute): LaidOutAttribute {
  const { attribute, stored, read } = laidOut
  const { hiddenTargets } = attribute
  if (hiddenTargets === undefined) return laidOut
  return {
    ...laidOut,
    isEmpty: (row) => read(row, creationOf(row), null).every((value) => isHiddenValue(attribute, value.stored)),
    ...(stored && { stored: (row: Row) => stored(row).filter((value) => !isHiddenValue(attribute, value)) }),
    read: (...parts) => read(...parts).filter((value) => !isHiddenValue(attribute, value.stored)),
  }
}

/** In the model of a member: whether a value refers to a record of a hidden object. */
const isHiddenValue = ({ hiddenTargets }: Attribute, { target_object }: DatedValue['stored']): boolean =>
  hiddenTargets?.some(({ number }) => number === target_object) === true

/** The values that do not refer to hidden records. */
export const visibleValues = <Value extends DatedValue>(attribute: Attribute, values: readonly Value[]) =>
  attribute.hiddenTargets === undefined ? values : values.filter(({ stored }) => !isHiddenValue(attribute, stored))

function compilePart(laidOut: LaidOutAttribute, model: DataModel): RenderedAttribute {
  const { attribute, stored, read } = laidOut
  const render = compileValue(attribute, model)
  const actor = renderActor(model)
  const renderDatedValue = (datedValue: DatedValue): string =>
    `{${valueHead(timestampFromMicros(datedValue.active_from), 'null', actor(shownActor(datedValue)))}${render(datedValue.stored)}`
  return {
    laidOut,
    render(row, createdHead, provenance) {
      if (!stored || !isAsCreated(provenance, attribute))
        return read(row, creationOf(row), provenance).map(renderDatedValue).join('},')
      let text = ''
      for (const value of stored(row)) text += (text === '' ? '' : '},') + createdHead + render(value)
      return text
    },
  }
}

/** Rows of entity types with many attributes have more combinations than the cache should hold. */
const MAX_TEXTS = 2000

/**
 * Returns the text between the values of two attributes: the brace that closes one, empty lists for the attributes between
 * them, and the bracket that opens the other. The attributes count from 1; 0 is the start, one more than the last the end.
 */
function compileBetween(attributes: readonly LaidOutAttribute[]): (from: number, to: number) => string {
  const opening = ({ attribute }: LaidOutAttribute, index: number) =>
    `${index === 0 ? '{' : '],'}${JSON.stringify(attribute.api_slug)}:[`
  const end = attributes.length > 0 ? ']}' : '{}'
  const texts = new Map<number, string>()
  return (from, to) => {
    const key = from * (attributes.length + 2) + to
    const cached = texts.get(key)
    if (cached !== undefined) return cached
    const openings = attributes.slice(from, to).map((each, index) => opening(each, from + index))
    const text = flat((from === 0 ? '' : '}') + openings.join('') + (to > attributes.length ? end : ''))
    if (texts.size < MAX_TEXTS) texts.set(key, text)
    return text
  }
}

/**
 * Returns the same text without a tree of parts. JavaScriptCore stores a concatenated string as a tree until code reads its
 * characters; a text that is part of many others should be joined only once.
 */
const flat = (text: string): string => (text.charCodeAt(0) >= 0 ? text : '')

/** Renders the members of a value after those of `head`. `attribute_type` is the last one. */
function compileValue(attribute: Attribute, model: DataModel) {
  const render = attributeType(attribute.type).render(attribute, model)
  const type = `,"attribute_type":"${attribute.type}"`
  return (stored: DatedValue['stored']) => `,${render(stored)}${type}`
}

/**
 * Renders values of one attribute as the values endpoints answer them; `active_until` is null for active ones. Leaves out
 * values that refer to hidden records.
 */
export function compileValues(attribute: Attribute, model: DataModel) {
  const actor = renderActor(model)
  const render = compileValue(attribute, model)
  return (datedValues: readonly (DatedValue & { active_until: Micros | null })[]): string =>
    `[${visibleValues(attribute, datedValues)
      .map((datedValue) => {
        const until = datedValue.active_until === null ? 'null' : `"${timestampFromMicros(datedValue.active_until)}"`
        return `{${valueHead(timestampFromMicros(datedValue.active_from), until, actor(shownActor(datedValue)))}${render(datedValue.stored)}}`
      })
      .join(',')}]`
}

// Renders an entity from the message in which PostgreSQL sent its row. Values that were created with their entity are copied
// byte by byte where their type permits; all others are decoded and rendered as text. See docs/decisions/pages.md.

/** An attribute and the function that renders its values as text. */
interface RenderedAttribute {
  readonly laidOut: LaidOutAttribute
  /** The values without their brackets and the last brace. Values that were created with the entity begin with `createdHead`. */
  render(row: Row, createdHead: string, provenance: Provenance | null): string
}

/** What the values of one entity share. */
interface EntityHead {
  readonly provenance: Provenance | null
  /** The beginning of values that were created with the entity. */
  readonly created: CreatedHead
  /** Returns the decoded columns, to which the renderer adds those of the values that it renders as text. */
  row(): unknown[]
}

/** Appends the values of an entity, and a closing brace. */
type RenderValues = (writer: ByteWriter, message: RowMessage, head: EntityHead) => void

/** `partAt` compiles an attribute, `between` gives the text between the values of two attributes, and `systemHead` the beginning of values of the system. */
function compileMessageRenderer(
  attributes: readonly LaidOutAttribute[],
  partAt: (index: number, attribute: LaidOutAttribute) => RenderedAttribute,
  between: (from: number, to: number) => string,
  systemHead: (message: RowMessage) => CreatedHead,
): RenderValues {
  const compiled: (CompiledAttribute | undefined)[] = []
  const separators = compileSeparators(attributes.length, (index) => compiled[index]?.copy, between)
  return (writer, message, head) => {
    let last = 0
    let isLastCopied = false
    for (let index = 0; index < attributes.length; index++) {
      const laidOut = attributes[index]
      if (!laidOut || areNull(message.lengths, laidOut.positions)) continue
      const attribute = (compiled[index] ??= compileAttribute(partAt(index, laidOut)))
      const { copy } = attribute
      const created = laidOut.isOfSystem === true ? systemHead(message) : head.created
      const isCopied: boolean =
        copy !== undefined &&
        isAsCreated(head.provenance, laidOut.attribute) &&
        copy.write(writer, separators.withHead(last, isLastCopied, index + 1, created), message)
      if (!isCopied) {
        const text = renderText(attribute, message, head, created)
        if (text === undefined) continue
        writer.bytes(separators.plain(last, isLastCopied, index + 1))
        writer.text(text)
      }
      isLastCopied = isCopied
      last = index + 1
    }
    writer.bytes(separators.plain(last, isLastCopied, attributes.length + 1))
  }
}

interface CompiledAttribute extends RenderedAttribute {
  /** Undefined when its values are always rendered as text. */
  readonly copy: ColumnCopy | undefined
}

const compileAttribute = ({ laidOut, render }: RenderedAttribute): CompiledAttribute => ({
  laidOut,
  render,
  copy: compileCopy(laidOut, (row) => render(row, '', null)),
})

/** Returns undefined for an attribute without values. */
function renderText(
  { laidOut, render }: CompiledAttribute,
  message: RowMessage,
  { row, provenance }: EntityHead,
  created: CreatedHead,
): string | undefined {
  const columns = row()
  for (const position of laidOut.positions) columns[position] = message.value(position)
  return laidOut.isEmpty(columns) ? undefined : render(columns, created.text(), provenance)
}

// The members that every value begins with: since and until when it is active, and who wrote it.

/** `until` and `actor` are JSON. */
const valueHead = (from: string, until: string, actor: string): string =>
  `"active_from":"${from}","active_until":${until},"created_by_actor":${actor}`

/** The beginning of values that were created with their entity. `createdAt` is PostgreSQL's text. */
const createdHeadOf = (createdAt: string, actor: string): string =>
  `{${valueHead(timestampFromPostgres(createdAt), 'null', actor)}`
