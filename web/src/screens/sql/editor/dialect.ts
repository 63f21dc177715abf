/**
 * The words of PostgreSQL that a query uses. The dialect of the library also has those of statements that write, and words such as
 * `name` and `type`, which are often names of attributes.
 */

import { SQLDialect } from '@codemirror/lang-sql'

const KEYWORDS =
  'all and any as asc between by case cross desc distinct else end except exists false fetch filter first following from full ' +
  'group having ilike in inner intersect is join last lateral left like limit not null nulls offset on or order outer over ' +
  'partition preceding range recursive right rows select similar some then true unbounded union using values when where with'

const TYPES =
  'bigint boolean bytea char date double int integer interval json jsonb numeric real smallint text time timestamp timestamptz ' +
  'uuid varchar'

const FUNCTIONS =
  'abs age array_agg array_length avg bool_and bool_or cast ceil coalesce concat count current_date current_timestamp date_part ' +
  'date_trunc dense_rank extract first_value floor generate_series greatest json_agg json_build_object lag last_value lead least ' +
  'length lower max min now ntile nullif percentile_cont rank regexp_replace replace round row_number split_part string_agg ' +
  'substring sum to_char to_date trim unnest upper'

export const dialect = SQLDialect.define({
  charSetCasts: true,
  doubleDollarQuotedStrings: true,
  operatorChars: '+-*/<>=~!@#%^&|`?',
  specialVar: '',
  keywords: KEYWORDS,
  types: TYPES,
  builtin: FUNCTIONS,
})
