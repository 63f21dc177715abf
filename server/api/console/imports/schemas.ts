/** The bodies and answers of imports at the console. */

import { type Static, Type } from 'typebox'
import type { RowCounts } from '#transfer/import/row-counts'
import type { JobOutput } from '#api/jobs/schemas'
import type { AttributeOutput } from '#api/resources/attributes/schemas'

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

export type ImportState = 'uploading' | 'ready' | 'waiting' | 'running' | 'finished' | 'cancelled' | 'failed'

/** A column of a file, for the choice of its target. */
export interface ImportColumn {
  readonly name: string
  readonly examples: readonly string[]
  /** Written as in a plan. */
  readonly target: string
}

export interface ImportOutput {
  readonly id: string
  readonly object_id: string
  readonly file_name: string
  readonly file_size: number
  readonly state: ImportState
  readonly columns: readonly ImportColumn[]
  readonly plan: PlanBody | null
  readonly counts: RowCounts
  readonly bytes_read: number
  readonly problems: number
  readonly failure: string | null
  readonly created_by_workspace_member_id: string
  readonly created_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly undo: {
    /** Until when the import can be undone; null if it has not run, or if there is no trash. */
    readonly until: string | null
    /** The last job that undid it. */
    readonly job: JobOutput | null
  }
}

/** What an undo would do. */
export interface UndoPreview {
  /** How many records that the import created exist. */
  readonly created: number
  /** How many of the created records were changed since, so that the undo keeps them. Records with notes, tasks, comments or files are kept as well, and are not counted. */
  readonly changed: number
  /** How many records get earlier values back. */
  readonly updated: number
}

/** An existing attribute, or a part of one, that a column can go to. */
export interface ImportTarget {
  readonly target: string
  readonly title: string
  readonly type: string
}

/** An import with the choices that its object offers. */
export interface ImportDetail extends ImportOutput {
  readonly targets: readonly ImportTarget[]
  /** Slugs of the attributes that can be the matching attribute, the default one first. */
  readonly matches: readonly string[]
  /** Whether rows can be matched by a name. */
  readonly has_name: boolean
}

export interface PreviewAttribute {
  readonly attribute: AttributeOutput
  /** The names of its columns, as in a problem. */
  readonly column: string
  /** Whether the import would create the attribute. */
  readonly is_new: boolean
}

export interface PreviewRow {
  readonly line: number
  /** By the slug of the attribute, in the form of the API. */
  readonly values: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
  readonly problems: readonly { readonly column: string; readonly value: string; readonly reason: string }[]
  /** Whether the row matches no record, one, or several. */
  readonly known: 'new' | 'known' | 'several'
  /** Why the import would skip the row. */
  readonly skipped: string | null
}

export interface PreviewOutput {
  readonly attributes: readonly PreviewAttribute[]
  readonly rows: readonly PreviewRow[]
  /** Options that the import would create for these rows, by the slug of the attribute. */
  readonly options: Readonly<Record<string, readonly string[]>>
}
