import { afterAll, describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryFolder } from '#testing/temporary-folder'
import { readConfig } from './config'
import { SETTINGS } from './settings'

describe('readConfig', () => {
  test('returns the default of every setting', () => {
    expect(readConfig({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      databaseUrl: undefined,
      replicaUrl: undefined,
      secretKeys: undefined,
      databaseConnections: 10,
      dataDir: '.data',
      baseUrl: 'http://localhost:8080',
      onCopy: 'hold',
      brand: 'relata',
      issuer: 'relata.com',
      trustedProxies: 0,
      appActor: 'app',
      bodyLimit: 25_000_000,
      importLimit: 500_000_000,
      filesDir: '.data/files',
      logLevel: 'info',
      requestLog: false,
      slowStatements: 0,
      otlpEndpoint: undefined,
      otlpHeaders: undefined,
      otlpServiceName: undefined,
      otlpResource: undefined,
      otlpSampler: 'parentbased_always_on',
      otlpSamplerRatio: 1,
      otlpDisabled: false,
      backupTo: undefined,
      backupEvery: 86_400_000,
      backupKeep: { count: 14 },
      backupPassphrase: undefined,
      filesBucket: undefined,
      filesEndpoint: undefined,
      filesRegion: undefined,
      filesAccessKeyId: undefined,
      filesSecretAccessKey: undefined,
      strictContract: false,
      objectQuota: Number.POSITIVE_INFINITY,
      memberQuota: Number.POSITIVE_INFINITY,
      indexRows: 20_000,
      indexUnusedDays: 30,
      queryScoreLimit: 200,
      queryScoreWindow: 0,
      queryTimeout: 10,
      readLimit: 0,
      writeLimit: 0,
      mergeLimit: 0,
      recordingLimit: 0,
      sqlLimit: 0,
      sqlDatabaseUrl: undefined,
      sqlConnections: 4,
      sqlTimeout: 30,
      metrics: false,
      eventsDays: 30,
      trashDays: 30,
      webhookRate: 25,
      sendLimit: 200,
      googleClientId: undefined,
      googleClientSecret: undefined,
      microsoftClientId: undefined,
      microsoftClientSecret: undefined,
      mailIssuer: undefined,
      mailClientId: undefined,
      mailClientSecret: undefined,
      mailProviderName: 'your provider',
      mailScope: 'email offline_access',
      calendarScope: undefined,
      calendarUrl: undefined,
      webhookTimeout: 5,
      allowPrivateTargets: false,
      oidcIssuer: undefined,
      oidcClientId: undefined,
      oidcClientSecret: undefined,
      oidcName: 'single sign-on',
      smtpUrl: undefined,
      mailFrom: 'relata@localhost',
      firstStart: 'print',
      workspaceName: 'My workspace',
      adminEmail: 'admin@relata.local',
      adminPassword: undefined,
    })
  })

  test.each([
    [{ PORT: '9000' }, { port: 9000, baseUrl: 'http://localhost:9000' }],
    [{ PORT: '' }, { port: 8080 }],
    [{ PORT: ' 81 ' }, { port: 81 }],
    [{ RELATA_BRAND: 'acme' }, { brand: 'acme', issuer: 'acme.com', adminEmail: 'admin@acme.local' }],
    [{ RELATA_BASE_URL: 'https://crm.example/' }, { baseUrl: 'https://crm.example' }],
    [{ RELATA_BASE_URL: 'https://example.org/crm/' }, { baseUrl: 'https://example.org/crm' }],
    [{ RELATA_BODY_LIMIT: '1gb' }, { bodyLimit: 1e9 }],
    [{ RELATA_BODY_LIMIT: '2048' }, { bodyLimit: 2048 }],
    [{ RELATA_OBJECT_QUOTA: '0' }, { objectQuota: 0 }],
    [{ DATABASE_URL: 'postgresql://a:b@c/d' }, { databaseUrl: 'postgresql://a:b@c/d' }],
    [{ DATABASE_URL: 'postgres://c/d?connect_timeout=60' }, { databaseUrl: 'postgres://c/d?connect_timeout=60' }],
    [{ RELATA_DATA_DIR: '/d' }, { filesDir: '/d/files' }],
    [{ RELATA_BACKUP_EVERY: '30m' }, { backupEvery: 1_800_000 }],
    [{ RELATA_BACKUP_KEEP: '7, 30d' }, { backupKeep: { count: 7, ageMs: 2_592_000_000 } }],
    [{ RELATA_BACKUP_KEEP: '48h' }, { backupKeep: { ageMs: 172_800_000 } }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318/' }, { otlpEndpoint: 'http://localhost:4318' }],
    [
      { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%3Db, x-team = crm,' },
      { otlpHeaders: { authorization: 'Bearer a=b', 'x-team': 'crm' } },
    ],
    [{ OTEL_TRACES_SAMPLER_ARG: '.25' }, { otlpSamplerRatio: 0.25 }],
    [{ OTEL_SDK_DISABLED: 'TRUE' }, { otlpDisabled: true }],
    [{ OTHER: 'x' }, { port: 8080 }],
  ])('%j', (env, expected) => expect(readConfig(env)).toMatchObject(expected))

  test.each([
    [{ PORT: '80a' }, 'PORT must be a whole number from 1 to 65535, not "80a".'],
    [{ PORT: '70000' }, 'PORT must be a whole number from 1 to 65535, not "70000".'],
    [{ PORT: '-1' }, 'PORT must be a whole number from 1 to 65535, not "-1".'],
    ...['secret', 'a b=secret', '=secret', 'a=%zz', 'a=b\u0007c', 'a=%0Ab', 'a=b,secret'].map(
      (pairs): [Record<string, string>, string] => [
        { OTEL_EXPORTER_OTLP_HEADERS: pairs },
        'OTEL_EXPORTER_OTLP_HEADERS must be pairs such as "name=value,name=value", with percent-encoded values.',
      ],
    ),
    ...['1.1', '-1', 'half', '1e-1', '.', '1.0.0'].map((ratio): [Record<string, string>, string] => [
      { OTEL_TRACES_SAMPLER_ARG: ratio },
      `OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${ratio}".`,
    ]),
    [{ HOST: 'a b' }, 'HOST must be one word, not "a b".'],
    [
      { DATABASE_URL: 'mysql://u:secret@h/d' },
      'DATABASE_URL must be an address like postgres://user:password@host:5432/database.',
    ],
    ...['abc', '', '-1', '1.5', '99999'].map((seconds): [Record<string, string>, string] => [
      { DATABASE_URL: `postgres://u:secret@h/d?connect_timeout=${seconds}` },
      'DATABASE_URL must say its connect_timeout in whole seconds, at most 9999.',
    ]),
    [{ RELATA_DB_CONNECTIONS: '1' }, 'RELATA_DB_CONNECTIONS must be a whole number from 2 to 1000, not "1".'],
    [
      { RELATA_BRAND: 'Acme!' },
      'RELATA_BRAND must be lower-case letters, digits and hyphens, beginning with a letter, not "Acme!".',
    ],
    [
      { RELATA_BASE_URL: 'crm.example' },
      'RELATA_BASE_URL must be an address beginning with http:// or https://, not "crm.example".',
    ],
    [{ RELATA_BODY_LIMIT: '25' }, 'RELATA_BODY_LIMIT must be a size of at least 1 kB, such as "25 MB", not "25".'],
    [{ RELATA_BODY_LIMIT: 'lots' }, 'RELATA_BODY_LIMIT must be a size of at least 1 kB, such as "25 MB", not "lots".'],
    ...['0h', '1w', '90', '4000d', 'h'].map((every): [Record<string, string>, string] => [
      { RELATA_BACKUP_EVERY: every },
      `RELATA_BACKUP_EVERY must be a duration such as "30m", "6h" or "1d", not "${every}".`,
    ]),
    ...['0', '-1', '7,14', '1d,2d', '7,', 'all'].map((keep): [Record<string, string>, string] => [
      { RELATA_BACKUP_KEEP: keep },
      `RELATA_BACKUP_KEEP must be a number, a duration or both, such as "14", "30d" or "7,30d", not "${keep}".`,
    ]),
    [
      { RELATA_BACKUP_TO: 's3://b/c', RELATA_FILES_S3_ACCESS_KEY_ID: 'k' },
      'RELATA_FILES_S3_SECRET_ACCESS_KEY must be set too when RELATA_BACKUP_TO is.',
    ],
    [{ RELATA_OBJECT_QUOTA: '1.5' }, 'RELATA_OBJECT_QUOTA must be a whole number from 0 to 1000000, not "1.5".'],
    [{ RELATA_ADMIN_EMAIL: 'me' }, 'RELATA_ADMIN_EMAIL must be an email address, not "me".'],
    [{ RELATA_ADMIN_PASSWORD: 'not tried' }, 'RELATA_ADMIN_PASSWORD must have at least 10 characters.'],
    [{ RELATA_ADMIN_PASSWORD: 'Password123' }, 'RELATA_ADMIN_PASSWORD is too common. Choose another.'],
    [
      { RELATA_ADMIN_EMAIL: 'ada@example.com', RELATA_ADMIN_PASSWORD: 'ada@example.com' },
      'RELATA_ADMIN_PASSWORD must not be the email address.',
    ],
    [
      { RELATA_FILES_S3_BUCKET: 'b', RELATA_FILES_S3_ACCESS_KEY_ID: 'k' },
      'RELATA_FILES_S3_SECRET_ACCESS_KEY must be set too when RELATA_FILES_S3_BUCKET is.',
    ],
    [
      { RELATA_OIDC_ISSUER: 'https://login.example.com', RELATA_OIDC_CLIENT_ID: 'k' },
      'RELATA_OIDC_CLIENT_SECRET must be set too when RELATA_OIDC_ISSUER is.',
    ],
    [{ RELATA_CALENDAR_SCOPE: 'dav' }, 'RELATA_MAIL_ISSUER must be set too when RELATA_CALENDAR_SCOPE is.'],
    [{ RELATA_PROT: '1' }, 'RELATA_PROT is not a setting; the README lists them all.'],
    [
      { PORT: 'x', HOST: 'a b' },
      'PORT must be a whole number from 1 to 65535, not "x".\nHOST must be one word, not "a b".',
    ],
  ])('refuses %j', (env, message) => expect(() => readConfig(env)).toThrow(message))
})

describe('a secret in a file', () => {
  const folder = createTemporaryFolder()
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const fileWith = (content: string) => {
    const path = join(folder, crypto.randomUUID())
    writeFileSync(path, content)
    return path
  }

  test.each([
    ['DATABASE_URL', 'databaseUrl', 'postgres://a:b@c/d'],
    ['RELATA_REPLICA_URL', 'replicaUrl', 'postgres://a:b@replica/d'],
    ['RELATA_SQL_DATABASE_URL', 'sqlDatabaseUrl', 'postgres://a:b@replica/d'],
    ['RELATA_FILES_S3_SECRET_ACCESS_KEY', 'filesSecretAccessKey', 'abc/+='],
    ['RELATA_OIDC_CLIENT_SECRET', 'oidcClientSecret', ' begins and ends with a space '],
    ['RELATA_SMTP_URL', 'smtpUrl', 'smtp://u:p@mail.example:587'],
    ['RELATA_ADMIN_PASSWORD', 'adminPassword', 'correct horse battery'],
  ])('is the value of %s, without the final newline', (name, key, value) => {
    for (const end of ['', '\n', '\r\n'])
      expect(readConfig({ [`${name}_FILE`]: fileWith(`${value}${end}`) })).toMatchObject({ [key]: value })
    expect(readConfig({ [`${name}_FILE`]: '', [name]: value.trim() })).toMatchObject({ [key]: value.trim() })
  })

  test('belongs to every setting with a password or a key, and to no other one', () => {
    const secrets = Object.values(SETTINGS).filter((setting) => 'isSecret' in setting)
    expect(secrets).toHaveLength(13)
    const secretNames = Object.values(SETTINGS).filter(({ name }) => /SECRET|PASSWORD|_URL$/.test(name))
    expect(secretNames.filter((setting) => !secrets.includes(setting)).map(({ name }) => name)).toEqual([
      'RELATA_BASE_URL',
      'RELATA_CALENDAR_URL',
    ])
    expect(() => readConfig({ RELATA_BRAND_FILE: '/x' })).toThrow('RELATA_BRAND_FILE is not a setting')
  })

  test('is refused beside the setting itself, when it is empty, and when it cannot be read', () => {
    const file = fileWith('postgres://u:secret@c/d')
    const both = { DATABASE_URL: 'postgres://a:secret@c/d', DATABASE_URL_FILE: file }
    expect(() => readConfig(both)).toThrow('DATABASE_URL and DATABASE_URL_FILE are both set; unset one of them.')
    const empty = fileWith('\n')
    expect(() => readConfig({ RELATA_SMTP_URL_FILE: empty })).toThrow(
      `RELATA_SMTP_URL cannot be read: the file ${empty} of RELATA_SMTP_URL_FILE is empty.`,
    )
    const absent = join(folder, 'absent')
    expect(() => readConfig({ DATABASE_URL_FILE: absent })).toThrow(
      `DATABASE_URL cannot be read from the file of DATABASE_URL_FILE: ENOENT: no such file or directory, open '${absent}'.`,
    )
    expect(() => readConfig({ DATABASE_URL_FILE: folder })).toThrow('EISDIR')
  })

  test('is not shown when its content is refused', () => {
    const read = () => readConfig({ DATABASE_URL_FILE: fileWith('mysql://u:hidden@h/d\n') })
    expect(read).toThrow('DATABASE_URL must be an address like')
    expect(read).not.toThrow('hidden')
  })
})

test('the README describes every setting with its default', async () => {
  const readme = await Bun.file(join(import.meta.dir, '../../../docs/settings.md')).text()
  const rows = readme.split('\n').filter((line) => /^\| `[A-Z0-9_]+` /.test(line))
  const cells = rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  const expected = Object.values(SETTINGS).map((setting) => [
    `\`${setting.name}\``,
    setting.isOptional ? setting.otherwise : `\`${setting.fallback}\``,
    setting.means,
  ])
  expect(cells).toEqual(expected)
})
