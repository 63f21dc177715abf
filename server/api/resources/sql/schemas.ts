/** The schemas of SQL. See docs/reference/sql.md. */

import { type Static, Type } from 'typebox'
import { STRICT } from '#engine/query/parse/schemas'

/** More are refused before their number is compared with those of the text. */
const MAX_PARAMETERS = 1000

export const SqlBody = Type.Object(
  {
    sql: Type.String({ description: 'One SELECT.' }),
    parameters: Type.Optional(
      Type.Array(Type.Unknown(), { maxItems: MAX_PARAMETERS, description: 'The values of `$1`, `$2`, … in the text.' }),
    ),
  },
  STRICT,
)
export type SqlBody = Static<typeof SqlBody>

export const SqlQuery = Type.Object({
  explain: Type.Optional(
    Type.Enum(['true', 'false', 'analyze'], {
      description: '`true` answers with the plan instead of the rows, `analyze` runs the statement and measures it.',
    }),
  ),
  raw: Type.Optional(Type.Enum(['true', 'false'], { description: '`true` leaves formulas in CSV unescaped.' })),
})
export type SqlQuery = Static<typeof SqlQuery>

export const SqlAnswer = Type.Object({
  data: Type.Object({
    rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    truncated: Type.Boolean({ description: 'Whether there are more rows.' }),
  }),
})
export type SqlAnswer = Static<typeof SqlAnswer>
