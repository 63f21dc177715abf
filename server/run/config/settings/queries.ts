/** What queries of records cost at most, and when they get indexes. */

import { parseWholeNumber } from '#run/config/setting-parsers'
import { required } from './setting'

export const QUERY_SETTINGS = {
  indexRows: required({
    name: 'RELATA_INDEX_ROWS',
    fallback: '20000',
    means: 'From how many records on an object gets the indexes its queries ask for.',
    read: parseWholeNumber(0, 1_000_000_000),
  }),
  indexUnusedDays: required({
    name: 'RELATA_INDEX_UNUSED_DAYS',
    fallback: '30',
    means: 'After how many days without use they are dropped.',
    read: parseWholeNumber(1, 36_500),
  }),
  queryScoreLimit: required({
    name: 'RELATA_QUERY_SCORE_LIMIT',
    fallback: '200',
    means: 'The highest score of one record query; 0 for no limit.',
    read: parseWholeNumber(0, 1_000_000_000),
  }),
  queryScoreWindow: required({
    name: 'RELATA_QUERY_SCORE_WINDOW',
    fallback: '0',
    means: "The highest sum of a workspace's query scores in ten seconds; 0 for no limit.",
    read: parseWholeNumber(0, 1_000_000_000),
  }),
  queryTimeout: required({
    name: 'RELATA_QUERY_TIMEOUT',
    fallback: '10',
    means: 'How many seconds a record query may take.',
    read: parseWholeNumber(1, 3600),
  }),
}
