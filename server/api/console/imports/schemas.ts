/** The bodies and answers of imports at the console. */

import { type Static, Type } from 'typebox'
import { answerOf, nullable, readonlyArray, Timestamp } from '#api/console/schemas'
import { JobOutput } from '#api/jobs/schemas'
import { AttributeOutput } from '#api/resources/attributes/schemas'

/** The target of each column, written as in a mapping file, and the options of the import: docs/import.md. */
export const PlanBody = Type.Object({
  /** By the name of the column. */
  columns: Type.Record(Type.String(), Type.String({ maxLength: 300 })),
  /** The matching attribute; null for the default one of the object. */
  match: Type.Union([Type.String(), Type.Null()]),
  /** Whether a row without a value of the matching attribute is matched by its name, or always creates a record. */
  fallback: Type.Union([Type.Literal('name'), Type.Literal('none')]),
  /** Whether a row replaces the values of an attribute with several values instead of adding to them. */
  overwrite: Type.Boolean(),
  /** The country whose national form applies to telephone numbers without a +. */
  country: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
})
export type PlanBody = Static<typeof PlanBody>

export const UploadQuery = Type.Object({
  /** Slug or id. */
  object: Type.String({ maxLength: 200 }),
  file_name: Type.String({ minLength: 1, maxLength: 255 }),
})
export type UploadQuery = Static<typeof UploadQuery>

export const ImportsQuery = Type.Object({ object: Type.String({ maxLength: 200 }) })

const ImportState = Type.Enum(['uploading', 'ready', 'waiting', 'running', 'finished', 'cancelled', 'failed'])
export type ImportState = Static<typeof ImportState>

/** A column of a file, for the choice of its target. */
const ImportColumn = Type.Object({
  name: Type.String(),
  examples: Type.Array(Type.String()),
  /** Written as in a plan. */
  target: Type.String(),
})
export type ImportColumn = Static<typeof ImportColumn>

const ImportOutput = Type.Object({
  id: Type.String(),
  object_id: Type.String(),
  file_name: Type.String(),
  file_size: Type.Integer(),
  state: ImportState,
  columns: Type.Array(ImportColumn),
  plan: nullable(PlanBody),
  counts: Type.Object({
    read: Type.Integer(),
    created: Type.Integer(),
    updated: Type.Integer(),
    unchanged: Type.Integer(),
    skipped: Type.Integer(),
    /** Rows about a record that an earlier row of the same file created. */
    repeated: Type.Integer(),
    /** Rows imported without some of their values. */
    incomplete: Type.Integer(),
  }),
  bytes_read: Type.Integer(),
  problems: Type.Integer(),
  failure: nullable(Type.String()),
  created_by_workspace_member_id: Type.String(),
  created_at: Timestamp,
  started_at: nullable(Timestamp),
  ended_at: nullable(Timestamp),
  undo: Type.Object({
    /** Until when the import can be undone; null if it has not run, or if there is no trash. */
    until: nullable(Timestamp),
    /** The last job that undid it. */
    job: nullable(JobOutput),
  }),
})
export type ImportOutput = Static<typeof ImportOutput>

/** `largest_file` is the maximum size of a file, in bytes. */
export const ImportsAnswer = Type.Object({ data: Type.Array(ImportOutput), largest_file: Type.Integer() })
export type ImportsAnswer = Static<typeof ImportsAnswer>

/** What an undo would do. */
const UndoPreview = Type.Object({
  /** How many records that the import created exist. */
  created: Type.Integer(),
  /**
   * How many of the created records were changed since, so that the undo keeps them. Records with notes, tasks, comments or
   * files are kept as well, and are not counted.
   */
  changed: Type.Integer(),
  /** How many records get earlier values back. */
  updated: Type.Integer(),
})
export type UndoPreview = Static<typeof UndoPreview>

export const UndoPreviewAnswer = answerOf(UndoPreview)

/** An existing attribute, or a part of one, that a column can go to. */
const ImportTarget = Type.Object({ target: Type.String(), title: Type.String(), type: Type.String() })
export type ImportTarget = Static<typeof ImportTarget>

/** An import with the choices that its object offers. */
const ImportDetail = Type.Object({
  ...ImportOutput.properties,
  targets: Type.Array(ImportTarget),
  /** Slugs of the attributes that can be the matching attribute, the default one first. */
  matches: Type.Array(Type.String()),
  /** Whether rows can be matched by a name. */
  has_name: Type.Boolean(),
})
export type ImportDetail = Static<typeof ImportDetail>

export const ImportAnswer = answerOf(ImportDetail)

const PreviewAttribute = Type.Object({
  attribute: AttributeOutput,
  /** The names of its columns, as in a problem. */
  column: Type.String(),
  /** Whether the import would create the attribute. */
  is_new: Type.Boolean(),
})
export type PreviewAttribute = Static<typeof PreviewAttribute>

const PreviewRow = Type.Object({
  line: Type.Integer(),
  /** By the slug of the attribute, in the form of the API. */
  values: Type.Record(Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  problems: readonlyArray(Type.Object({ column: Type.String(), value: Type.String(), reason: Type.String() })),
  /** Whether the row matches no record, one, or several. */
  known: Type.Enum(['new', 'known', 'several']),
  /** Why the import would skip the row. */
  skipped: nullable(Type.String()),
})
export type PreviewRow = Static<typeof PreviewRow>

const PreviewOutput = Type.Object({
  attributes: Type.Array(PreviewAttribute),
  rows: Type.Array(PreviewRow),
  /** Options that the import would create for these rows, by the slug of the attribute. */
  options: Type.Record(Type.String(), readonlyArray(Type.String())),
})
export type PreviewOutput = Static<typeof PreviewOutput>

export const PreviewAnswer = answerOf(PreviewOutput)
