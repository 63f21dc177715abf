/** Where, how often and how long SQL of callers runs. */

import { parseDatabaseUrl, parseWholeNumber } from '#run/config/setting-parsers'
import { optional, required } from './setting'

export const SQL_SETTINGS = {
  sqlLimit: required({
    name: 'RELATA_RATE_LIMIT_SQL',
    fallback: '0',
    means: 'How many SQL queries a second a workspace may make; 0 for no limit.',
    read: parseWholeNumber(0, 1_000_000),
  }),
  sqlDatabaseUrl: optional({
    name: 'RELATA_SQL_DATABASE_URL',
    otherwise: 'the database itself',
    means: 'The address at which SQL of callers runs: the same server, or a replica of it.',
    read: parseDatabaseUrl,
    isSecret: true,
  }),
  sqlConnections: required({
    name: 'RELATA_SQL_CONNECTIONS',
    fallback: '4',
    means: 'How many SQL queries a process runs at the same time; 0 turns SQL off.',
    read: parseWholeNumber(0, 1000),
  }),
  sqlTimeout: required({
    name: 'RELATA_SQL_TIMEOUT',
    fallback: '30',
    means: 'How many seconds an SQL query may take.',
    read: parseWholeNumber(1, 3600),
  }),
}
