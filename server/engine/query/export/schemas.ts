/** The query parameters of exports. See docs/reference/query.md (Export). */

import { type Static, Type } from 'typebox'

export const ExportQuery = Type.Object({
  format: Type.Optional(Type.Enum(['csv', 'ndjson'], { default: 'ndjson' })),
  filter: Type.Optional(Type.String({ description: 'The filter of a query, as JSON.' })),
  filter_view_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'A saved view whose filter is used instead of `filter`.' }),
  ),
  sorts: Type.Optional(Type.String({ description: 'The sorts of a query, as JSON.' })),
  attributes: Type.Optional(
    Type.String({ description: 'Slugs or ids of the attributes in the export, separated by commas. Default: all.' }),
  ),
  cursors: Type.Optional(
    Type.Boolean({ description: 'Whether the export contains cursors, from which it can be resumed.', default: false }),
  ),
  cursor: Type.Optional(
    Type.String({ description: 'A cursor of an earlier export with the same parameters. Resumes after it.' }),
  ),
  raw: Type.Optional(
    Type.Boolean({ description: 'Whether formulas in the cells of a CSV file stay unescaped.', default: false }),
  ),
})
export type ExportQuery = Static<typeof ExportQuery>
