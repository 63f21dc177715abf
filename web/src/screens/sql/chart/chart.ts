import { chartOfRows, type ResultChart } from '#vocabulary/chart-rows'
import type { SqlResult } from '../../../api/sql/sql'
import { numberText } from '../../../values/formats'
import { cellText } from '../result/cells'

export type { ResultChart }

/** The chart of a result, with numbers and times in the locale of the browser. */
export const chartOf = (result: SqlResult): ResultChart | undefined => chartOfRows(result, { numberText, cellText })
