/** All settings: their names, defaults, meanings and parsers. The README holds the same table; a test compares them. */

import { parseSecretKeys } from '#db/secret-keys'
import { LOG_LEVELS } from '#base/logging/log-error'
import { SAMPLERS } from '#base/monitoring/tracer'
import {
  parseDatabaseUrl,
  parseDuration,
  parseEmailAddress,
  parseIssuer,
  parseMailServer,
  parseOneOf,
  parseOnOff,
  parsePairs,
  parseRatio,
  parseRetention,
  parseSize,
  parseSlug,
  parseText,
  parseWebAddress,
  parseWholeNumber,
  parseWord,
  type SettingParser,
} from './setting-parsers'

export interface Setting<T> {
  /** The name of the environment variable. */
  readonly name: string
  /** The default as text; undefined when `otherwise` describes it. */
  readonly fallback?: string
  readonly otherwise?: string
  readonly means: string
  /** Whether the value contains a secret. Then `<NAME>_FILE` may name a file that holds it. */
  readonly isSecret?: true
  readonly read: SettingParser<T>
}

const required = <T>(setting: Setting<T> & { fallback: string }) => ({ ...setting, isOptional: false as const })
const optional = <T>(setting: Setting<T> & { otherwise: string }) => ({ ...setting, isOptional: true as const })

/** The process: where it listens, its database, its name and its public address. */
const SERVICE_SETTINGS = {
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
  replicaUrl: optional({
    name: 'RELATA_REPLICA_URL',
    otherwise: 'all reads run on the database',
    means: 'A replica of the database by streaming replication, on which queries, lists and SQL run.',
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
  secretKeys: optional({
    name: 'RELATA_SECRET_KEY',
    otherwise: '`secret.key` in `RELATA_DATA_DIR`',
    means: 'The key that encrypts secrets in the database; required with `DATABASE_URL`.',
    read: parseSecretKeys,
    isSecret: true,
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

/** What the log has, and where traces and metrics are sent. The names that begin with OTEL are those of OpenTelemetry. */
const MONITORING_SETTINGS = {
  logLevel: required({
    name: 'RELATA_LOG_LEVEL',
    fallback: 'info',
    means: 'The lines of JSON in the log: `error`; `warning` also warnings; `info` also requests.',
    read: parseOneOf(...LOG_LEVELS),
  }),
  requestLog: required({
    name: 'RELATA_REQUEST_LOG',
    fallback: '0',
    means: '`1` writes a line for each answered request, without values.',
    read: parseOnOff,
  }),
  slowStatements: required({
    name: 'RELATA_SLOW_STATEMENTS',
    fallback: '0',
    means: 'From how many milliseconds on a statement is logged; 0 for none.',
    read: parseWholeNumber(0, 3_600_000),
  }),
  otlpEndpoint: optional({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    otherwise: 'nothing is sent',
    means: 'The URL of the receiver of traces and metrics, OTLP over HTTP with JSON.',
    read: parseWebAddress,
  }),
  otlpHeaders: optional({
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    otherwise: 'none',
    means: 'Headers of these requests, `name=value,name=value`.',
    read: parsePairs,
    isSecret: true,
  }),
  otlpServiceName: optional({
    name: 'OTEL_SERVICE_NAME',
    otherwise: '`relata`, or a `service.name` below',
    means: 'The name of the service in traces and metrics.',
    read: parseText,
  }),
  otlpResource: optional({
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    otherwise: 'none',
    means: 'Further attributes of the service, `name=value,name=value`.',
    read: parsePairs,
  }),
  otlpSampler: required({
    name: 'OTEL_TRACES_SAMPLER',
    fallback: 'parentbased_always_on',
    means: 'Which requests are traced, one of the samplers of OpenTelemetry.',
    read: parseOneOf(...SAMPLERS),
  }),
  otlpSamplerRatio: required({
    name: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '1',
    means: 'The share of the samplers with `traceidratio`, such as `0.1`.',
    read: parseRatio,
  }),
  otlpDisabled: required({
    name: 'OTEL_SDK_DISABLED',
    fallback: 'false',
    means: '`true` sends nothing.',
    read: (raw: string) => parseOneOf('true', 'false')(raw.toLowerCase()) === 'true',
  }),
}

/** Where and how backups are written. The endpoint and the access key of a bucket are those of uploaded files. */
const BACKUP_SETTINGS = {
  backupTo: optional({
    name: 'RELATA_BACKUP_TO',
    otherwise: 'no backup is scheduled',
    means: 'The folder or `s3://bucket/prefix` of the backups that the service makes by itself.',
    read: parseText,
  }),
  backupEvery: required({
    name: 'RELATA_BACKUP_EVERY',
    fallback: '1d',
    means: 'How often it makes one, such as `6h`, `30m` or `7d`.',
    read: parseDuration,
  }),
  backupKeep: required({
    name: 'RELATA_BACKUP_KEEP',
    fallback: '14',
    means: 'How many it keeps, or how long, or what either keeps: `14`, `30d`, `7,30d`.',
    read: parseRetention,
  }),
  backupPassphrase: optional({
    name: 'RELATA_BACKUP_PASSPHRASE',
    otherwise: 'backups are not encrypted',
    means: 'The pass phrase that encrypts backups. Without it they cannot be restored.',
    read: parseText,
    isSecret: true,
  }),
}

/** Where uploaded files are stored: in a folder, or in a bucket of S3. */
const FILE_SETTINGS = {
  filesDir: optional({
    name: 'RELATA_FILES_DIR',
    otherwise: '`files` in `RELATA_DATA_DIR`',
    means: 'The folder of uploaded files; with S3, of uploads on their way there.',
    read: parseText,
  }),
  filesBucket: optional({
    name: 'RELATA_FILES_S3_BUCKET',
    otherwise: 'files are in the folder',
    means: 'The bucket of uploaded files, of S3 or a service with its API.',
    read: parseWord,
  }),
  filesEndpoint: optional({
    name: 'RELATA_FILES_S3_ENDPOINT',
    otherwise: 'S3 itself',
    means: 'The URL of that service.',
    read: parseWebAddress,
  }),
  filesRegion: optional({
    name: 'RELATA_FILES_S3_REGION',
    otherwise: '`us-east-1`',
    means: 'The region of the bucket.',
    read: parseWord,
  }),
  filesAccessKeyId: optional({
    name: 'RELATA_FILES_S3_ACCESS_KEY_ID',
    otherwise: 'none',
    means: 'The id of an access key that may read, write, delete and list objects of the bucket.',
    read: parseWord,
  }),
  filesSecretAccessKey: optional({
    name: 'RELATA_FILES_S3_SECRET_ACCESS_KEY',
    otherwise: 'none',
    means: 'The secret of that access key.',
    read: parseText,
    isSecret: true,
  }),
}

/** Quotas of a workspace and rate limits of its callers. */
const LIMIT_SETTINGS = {
  strictContract: required({
    name: 'RELATA_STRICT_CONTRACT',
    fallback: '0',
    means: '`1` requires a filter and more scopes for lists of emails, as the public API does.',
    read: parseOnOff,
  }),
  objectQuota: optional({
    name: 'RELATA_OBJECT_QUOTA',
    otherwise: 'no limit',
    means: 'How many custom objects a workspace may have.',
    read: parseWholeNumber(0, 1_000_000),
  }),
  memberQuota: optional({
    name: 'RELATA_MEMBER_QUOTA',
    otherwise: 'no limit',
    means: 'How many members of a workspace may be active. Suspended ones do not count.',
    read: parseWholeNumber(1, 1_000_000),
  }),
  readLimit: required({
    name: 'RELATA_RATE_LIMIT_READS',
    fallback: '0',
    means: 'How many reads a second a key or app may make; 0 for no limit.',
    read: parseWholeNumber(0, 1_000_000),
  }),
  writeLimit: required({
    name: 'RELATA_RATE_LIMIT_WRITES',
    fallback: '0',
    means: 'The same for writes.',
    read: parseWholeNumber(0, 1_000_000),
  }),
  mergeLimit: required({
    name: 'RELATA_RATE_LIMIT_MERGES',
    fallback: '0',
    means: 'The same for merging records.',
    read: parseWholeNumber(0, 1_000_000),
  }),
  recordingLimit: required({
    name: 'RELATA_RATE_LIMIT_RECORDINGS',
    fallback: '0',
    means: 'The same for creating call recordings.',
    read: parseWholeNumber(0, 1_000_000),
  }),
}

/** What queries of records cost at most, and when they get indexes. */
const QUERY_SETTINGS = {
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

/** Where, how often and how long SQL of callers runs. */
const SQL_SETTINGS = {
  sqlLimit: required({
    name: 'RELATA_RATE_LIMIT_SQL',
    fallback: '0',
    means: 'How many SQL queries a second a workspace may make; 0 for no limit.',
    read: parseWholeNumber(0, 1_000_000),
  }),
  sqlDatabaseUrl: optional({
    name: 'RELATA_SQL_DATABASE_URL',
    otherwise: 'as queries, on the replica or database',
    means: 'The address at which all SQL of callers runs. `RELATA_REPLICA_URL` serves queries as well.',
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

/** How long data is kept that expires. */
const RETENTION_SETTINGS = {
  eventsDays: required({
    name: 'RELATA_EVENTS_DAYS',
    fallback: '30',
    means: 'For how many days events, deliveries and their attempts are kept.',
    read: parseWholeNumber(4, 3650),
  }),
  trashDays: required({
    name: 'RELATA_TRASH_DAYS',
    fallback: '30',
    means: 'For how many days deleted records, objects and activities can be restored; 0 deletes at once.',
    read: parseWholeNumber(0, 3650),
  }),
}

/** Requests of the service to other hosts. */
const OUTBOUND_SETTINGS = {
  webhookRate: required({
    name: 'RELATA_WEBHOOK_RATE',
    fallback: '25',
    means: 'How many requests a second one webhook target gets; 0 for no limit.',
    read: parseWholeNumber(0, 1_000_000),
  }),
  webhookTimeout: required({
    name: 'RELATA_WEBHOOK_TIMEOUT',
    fallback: '5',
    means: 'How many seconds a receiver may take to answer.',
    read: parseWholeNumber(1, 60),
  }),
  sendLimit: required({
    name: 'RELATA_SEND_LIMIT',
    fallback: '200',
    means: 'How many recipients the emails of a connected account may have in an hour.',
    read: parseWholeNumber(0, 100_000),
  }),
  allowPrivateTargets: required({
    name: 'RELATA_ALLOW_PRIVATE_TARGETS',
    fallback: '0',
    means: '`1` allows private addresses and http: webhooks, videos, pictures, providers; for development.',
    read: parseOnOff,
  }),
}

/** Providers at which members sign in to their email accounts and calendars. */
const MAIL_SIGN_IN_SETTINGS = {
  googleClientId: optional({
    name: 'RELATA_GOOGLE_CLIENT_ID',
    otherwise: 'none',
    means: 'The client id at Google, where members then sign in to their email accounts and calendars.',
    read: parseWord,
  }),
  googleClientSecret: optional({
    name: 'RELATA_GOOGLE_CLIENT_SECRET',
    otherwise: 'none',
    means: 'The client secret at Google.',
    read: parseText,
    isSecret: true,
  }),
  microsoftClientId: optional({
    name: 'RELATA_MICROSOFT_CLIENT_ID',
    otherwise: 'none',
    means: 'The client id at Microsoft, where members then sign in to their email accounts.',
    read: parseWord,
  }),
  microsoftClientSecret: optional({
    name: 'RELATA_MICROSOFT_CLIENT_SECRET',
    otherwise: 'none',
    means: 'The client secret at Microsoft.',
    read: parseText,
    isSecret: true,
  }),
  mailIssuer: optional({
    name: 'RELATA_MAIL_ISSUER',
    otherwise: 'none',
    means: 'The issuer of another provider at which members sign in to their email accounts.',
    read: parseIssuer,
  }),
  mailClientId: optional({
    name: 'RELATA_MAIL_CLIENT_ID',
    otherwise: 'none',
    means: 'The client id at that provider.',
    read: parseWord,
  }),
  mailClientSecret: optional({
    name: 'RELATA_MAIL_CLIENT_SECRET',
    otherwise: 'none',
    means: 'The client secret at that provider.',
    read: parseText,
    isSecret: true,
  }),
  mailProviderName: required({
    name: 'RELATA_MAIL_PROVIDER_NAME',
    fallback: 'your provider',
    means: 'The name of that provider on the button.',
    read: parseText,
  }),
  mailScope: required({
    name: 'RELATA_MAIL_SCOPE',
    fallback: 'email offline_access',
    means: 'The scopes, separated by spaces, whose tokens open IMAP and SMTP there.',
    read: parseText,
  }),
  calendarScope: optional({
    name: 'RELATA_CALENDAR_SCOPE',
    otherwise: 'calendars have passwords',
    means: 'The scopes, separated by spaces, whose tokens open CalDAV at that provider.',
    read: parseText,
  }),
  calendarUrl: optional({
    name: 'RELATA_CALENDAR_URL',
    otherwise: 'found by the address',
    means: 'The CalDAV server of that provider.',
    read: parseWebAddress,
  }),
}

/** The OpenID Connect provider at which members sign in. */
const SIGN_IN_SETTINGS = {
  oidcIssuer: optional({
    name: 'RELATA_OIDC_ISSUER',
    otherwise: 'members sign in with passwords',
    means: 'The issuer of the OpenID Connect provider of all workspaces.',
    read: parseIssuer,
  }),
  oidcClientId: optional({
    name: 'RELATA_OIDC_CLIENT_ID',
    otherwise: 'none',
    means: 'The client id of this service at that provider.',
    read: parseWord,
  }),
  oidcClientSecret: optional({
    name: 'RELATA_OIDC_CLIENT_SECRET',
    otherwise: 'none',
    means: 'The client secret of this service at that provider.',
    read: parseText,
    isSecret: true,
  }),
  oidcName: required({
    name: 'RELATA_OIDC_NAME',
    fallback: 'single sign-on',
    means: 'The name of that provider on the sign-in page.',
    read: parseText,
  }),
}

/** How emails are sent. */
const EMAIL_SETTINGS = {
  smtpUrl: optional({
    name: 'RELATA_SMTP_URL',
    otherwise: 'emails are printed in the log',
    means: 'The mail server, `smtp://user:password@host:587` or `smtps://…`.',
    read: parseMailServer,
    isSecret: true,
  }),
  mailFrom: optional({
    name: 'RELATA_MAIL_FROM',
    otherwise: '`BRAND@` the host of `RELATA_BASE_URL`',
    means: 'The sender of emails.',
    read: parseText,
  }),
}

/** What the first start creates. */
const FIRST_START_SETTINGS = {
  firstStart: required({
    name: 'RELATA_FIRST_START',
    fallback: 'print',
    means: '`print` creates workspace, admin and key; `browser` asks in the console.',
    read: parseOneOf('print', 'browser'),
  }),
  workspaceName: required({
    name: 'RELATA_WORKSPACE_NAME',
    fallback: 'My workspace',
    means: 'The name of the workspace created at the first start.',
    read: parseText,
  }),
  adminEmail: optional({
    name: 'RELATA_ADMIN_EMAIL',
    otherwise: '`admin@BRAND.local`',
    means: 'The email address of its first admin.',
    read: parseEmailAddress,
  }),
  adminPassword: optional({
    name: 'RELATA_ADMIN_PASSWORD',
    otherwise: 'generated and printed',
    means: 'The password of that account, at least 10 characters and not a common one.',
    read: parseText,
    isSecret: true,
  }),
}

export const SETTINGS = {
  ...SERVICE_SETTINGS,
  ...MONITORING_SETTINGS,
  ...FILE_SETTINGS,
  ...BACKUP_SETTINGS,
  ...LIMIT_SETTINGS,
  ...QUERY_SETTINGS,
  ...SQL_SETTINGS,
  ...RETENTION_SETTINGS,
  ...OUTBOUND_SETTINGS,
  ...MAIL_SIGN_IN_SETTINGS,
  ...SIGN_IN_SETTINGS,
  ...EMAIL_SETTINGS,
  ...FIRST_START_SETTINGS,
}
