/** Makes mbox files for tests: threads, encodings, quoted bodies, and headers that are broken. */

/** A message of a test file, as bytes without the line before it. */
export type MessageBytes = Uint8Array

const utf8 = (text: string): Uint8Array => Buffer.from(text)

const NAMES = ['Ada Lövelace', 'Jürgen Groß', '山田太郎', 'Ana "the" Ñandú', 'plain'] as const

/** The forms of RFC 2047 in which names and subjects are written. */
const ENCODERS: readonly ((text: string) => string)[] = [
  (text) => `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`,
  (text) =>
    `=?utf-8?q?${[...Buffer.from(text)].map((byte) => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('')}?=`,
  (text) => `=?UTF-8*en?B?${Buffer.from(text).toString('base64')}?=`,
]

const encode = (text: string, index: number): string =>
  (ENCODERS[index % ENCODERS.length] ?? ENCODERS[0])?.(text) ?? text

/** The bodies have lines that look like the beginnings of messages and headers. */
const BODIES = [
  'Hello\n\n>From here on, all is quoted.\n>>From there too.\nFrom a line without an empty line before it 10:00 2024\n',
  'Content\n\nFrom the beginning, it was clear.\n\nSubject: not a header\n',
  `${'QUJD'.repeat(18)}\n`.repeat(50),
  '',
]

export interface Correspondent {
  readonly member: string
  /** The domains of the correspondents. */
  readonly domains: readonly string[]
}

const START = Date.UTC(2025, 0, 1)

/** The message number `index`: each fifth begins a thread, the others reply to the one before. Odd ones are from the member. */
export function threadMessage(index: number, { member, domains }: Correspondent): MessageBytes {
  const name = NAMES[index % NAMES.length] ?? ''
  const domain = domains[index % domains.length] ?? 'example.com'
  const other = `${encode(name, index)} <Contact${index % 20}@${domain}>`
  const [from, to] = index % 2 === 1 ? [`<${member}>`, other] : [other, `"Member, of the workspace" <${member}>`]
  const begins = index % 5 === 0
  const root = index - (index % 5)
  const references = Array.from({ length: index - root }, (_, step) => `<m${root + step}@${domain}>`)
  const lines = [
    `From: ${from}`,
    `To: ${to}`,
    ...(index % 7 === 0 ? [`Cc: Team: one@team.org, Two <two@team.org>;, undisclosed-recipients:;`] : []),
    `Subject: ${begins ? '' : 'Re: '}${encode(`Grüße Nr. ${root}`, index)}`,
    `Date: ${new Date(START + index * 3_600_000).toUTCString()}`,
    `Message-ID: <m${index}@thread>`.replace('@thread', `@${domain}`),
    ...(begins ? [] : [`In-Reply-To: <m${index - 1}@${domains[(index - 1) % domains.length]}>`]),
    ...(begins || index % 3 === 0 ? [] : [`References:${references.map((each) => `\n ${each}`).join('')}`]),
    'Content-Type: text/plain; charset=utf-8',
  ]
  return utf8(`${lines.join('\n')}\n\n${BODIES[index % BODIES.length]}`)
}

/** 300 folded lines of 1,000 characters. */
const LONG = '\n x'.padEnd(1000, 'x').repeat(300)

/** An address list of 50,000 characters. */
const MANY = Array.from({ length: 2_000 }, (_, index) => `"Many, A" <${index}@many.org>`)
  .join(',\n ')
  .slice(0, 50_000)

/** Messages with broken headers, each with what an import does with it. */
export const BROKEN: readonly { readonly bytes: MessageBytes; readonly outcome: 'created' | 'skipped' }[] = [
  {
    bytes: utf8('From: a@b.org\nDate: Thu, 1 Jan 2026 00:00:00 +0000\nno colon here\n: empty name\n\nbody\n'),
    outcome: 'created',
  },
  {
    bytes: utf8('From: nobody\nTo: undisclosed-recipients:;\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\nbody\n'),
    outcome: 'skipped',
  },
  {
    bytes: utf8(
      'From: late@b.org\nDate: Fri, 1 Jan 2100 00:00:00 +0000\nReceived: by x; Fri, 2 Jan 2026 08:00:00 +0100\n\n',
    ),
    outcome: 'created',
  },
  {
    bytes: utf8('From: undated@b.org\nDate: the day before yesterday\nSubject: undated\n\nbody\n'),
    outcome: 'created',
  },
  {
    bytes: Buffer.concat([
      utf8('From: J'),
      new Uint8Array([0xfc]),
      utf8('rgen <j@b.org>\nSubject: caf'),
      new Uint8Array([0xe9]),
      utf8('\nDate: Thu, 1 Jan 2026 01:00:00 +0000\n\n'),
    ]),
    outcome: 'created',
  },
  {
    bytes: utf8(
      `From: long@b.org\nDate: Thu, 1 Jan 2026 02:00:00 +0000\nX-Long:${LONG}\nReferences:${LONG}\nSubject: after\n\n`,
    ),
    outcome: 'created',
  },
  {
    bytes: utf8(`From: many@b.org\nDate: Thu, 1 Jan 2026 02:00:00 +0000\n${`To: ${MANY}\n`.repeat(8)}\n`),
    outcome: 'created',
  },
  {
    bytes: utf8(
      `From: quoted@b.org\nDate: Thu, 1 Jan 2026 02:00:00 +0000\nTo: x@${'y'.repeat(40_000)}>, <after@b.org>\n\n`,
    ),
    outcome: 'created',
  },
  {
    bytes: utf8(
      'Subject: =?utf-8?B?////?= =?unknown?Q?=ZZ?= \u0000\u0007 end\nFrom: bad@b.org\nDate: Thu, 1 Jan 2026 03:00:00 +0000\n\n',
    ),
    outcome: 'created',
  },
]

const SEPARATOR = 'From MAILER-DAEMON Fri Jan  3 12:08:34 2025\n'

/** An mbox file of these messages. */
export const mboxOf = (messages: readonly MessageBytes[], lineEnd: '\n' | '\r\n' = '\n'): Uint8Array => {
  const bytes = Buffer.concat(messages.flatMap((message) => [utf8(SEPARATOR), message, utf8('\n\n')]))
  return lineEnd === '\n' ? bytes : Buffer.from(bytes.toString('latin1').replaceAll('\n', lineEnd), 'latin1')
}
