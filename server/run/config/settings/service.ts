/** The process: where it listens, its database, its name and its public address. */

import {
  parseDatabaseUrl,
  parseOnOff,
  parseOneOf,
  parseSize,
  parseSlug,
  parseText,
  parseWebAddress,
  parseWholeNumber,
  parseWord,
} from '#run/config/setting-parsers'
import { optional, required } from './setting'

export const SERVICE_SETTINGS = {
  port: required({
    name: 'PORT',
    fallback: '8080',
    means: 'The port to listen on.',
    read: parseWholeNumber(1, 65_535),
  }),
  host: required({
    name: 'HOST',
    fallback: '127.0.0.1',
    means: 'The address to listen on; `0.0.0.0` for all.',
    read: parseWord,
  }),
  databaseUrl: optional({
    name: 'DATABASE_URL',
    otherwise: 'the embedded PostgreSQL',
    means: 'A PostgreSQL 15 or newer, `postgres://user:password@host:port/database`.',
    read: parseDatabaseUrl,
    isSecret: true,
  }),
  databaseConnections: required({
    name: 'RELATA_DB_CONNECTIONS',
    fallback: '10',
    means: 'Connections to the database for writes; half as many more for queries, 3 to read.',
    read: parseWholeNumber(2, 1000),
  }),
  dataDir: required({
    name: 'RELATA_DATA_DIR',
    fallback: '.data',
    means: 'The folder of the embedded PostgreSQL.',
    read: parseText,
  }),
  baseUrl: optional({
    name: 'RELATA_BASE_URL',
    otherwise: '`http://localhost:PORT`',
    means: 'The public URL of the service; links begin with it.',
    read: parseWebAddress,
  }),
  onCopy: required({
    name: 'RELATA_ON_COPY',
    fallback: 'hold',
    means: 'At the start on a copy of the database: `hold` what is sent, or decide: `move`, `copy`.',
    read: parseOneOf('hold', 'move', 'copy'),
  }),
  brand: required({
    name: 'RELATA_BRAND',
    fallback: 'relata',
    means: 'The name in response headers, lower case.',
    read: parseSlug,
  }),
  issuer: optional({
    name: 'RELATA_ISSUER',
    otherwise: '`BRAND.com`',
    means: 'The issuer that introspection names.',
    read: parseWord,
  }),
  trustedProxies: required({
    name: 'RELATA_TRUSTED_PROXIES',
    fallback: '0',
    means: 'The number of proxies in front that append to X-Forwarded-For.',
    read: parseWholeNumber(0, 10),
  }),
  appActor: required({
    name: 'RELATA_APP_ACTOR',
    fallback: 'app',
    means: 'The type of actor as which apps write, `app` or `api-token`.',
    read: parseOneOf('app', 'api-token'),
  }),
  bodyLimit: required({
    name: 'RELATA_BODY_LIMIT',
    fallback: '25 MB',
    means: 'The largest body with values, a note or a transcript, in bytes or with `kB`, `MB`, `GB`.',
    read: parseSize,
  }),
  importLimit: required({
    name: 'RELATA_IMPORT_LIMIT',
    fallback: '500 MB',
    means: 'The largest file that the console imports.',
    read: parseSize,
  }),
  metrics: required({
    name: 'RELATA_METRICS',
    fallback: '0',
    means: '`1` serves metrics for Prometheus at `/metrics`, without authentication.',
    read: parseOnOff,
  }),
}
