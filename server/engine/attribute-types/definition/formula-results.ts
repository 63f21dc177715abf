/** The results of formulas that several types accept, in the spelling of PostgreSQL's `format_type`. */

export const NUMERIC_RESULTS = ['numeric', 'integer', 'bigint', 'smallint', 'double precision', 'real'] as const

/** SQL of whether a number is one: `NaN` and infinity are no values. */
export const isFinite = (number: string): string => `${number} not in ('NaN', 'Infinity', '-Infinity')`

/** SQL of a day or an instant, null before year 1 and after year 9999. */
export const withinYears = (time: string): string =>
  `case when ${time} >= '0001-01-01' and ${time} < '10000-01-01' then ${time} end`
