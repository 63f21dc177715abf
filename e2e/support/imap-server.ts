/**
 * A small IMAP4rev1 server of a test, without authentication but LOGIN and PLAIN. It has IDLE, SPECIAL-USE, APPEND of ASCII, UIDs and parts of messages, neither
 * CONDSTORE nor QRESYNC, and can be told to fail.
 */

import type { Socket } from 'bun'
import { bodyStructure, sectionOf } from './mime-parts'

export interface ImapMessage {
  readonly uid: number
  readonly text: string
  readonly at: Date
}

export interface ImapFolder {
  uidValidity: number
  uidNext: number
  readonly specialUse: string
  messages: ImapMessage[]
}

export interface ImapServer {
  readonly port: number
  readonly folders: Map<string, ImapFolder>
  password: string
  /** The access token that is accepted, with the mechanism of OAuth 2 that the server has; empty for none. */
  token: string
  mechanism: 'XOAUTH2' | 'OAUTHBEARER'
  /** The refusal of the next sign-ins, instead of the one of a wrong password. */
  refusal: string
  hasIdle: boolean
  /** A fetch of one of these messages closes the connection. */
  readonly broken: Set<number>
  /** A fetch of a text of one of these messages closes the connection. */
  readonly brokenTexts: Set<number>
  /** The UIDs whose texts were sent, in their order. */
  readonly fetchedTexts: number[]
  /** How many more messages are sent before the connection breaks off. */
  messagesUntilCut: number
  /** Runs before the answer to a message that was appended to a folder. */
  onAppend: () => Promise<void>
  /** The UIDs whose headers were sent, in their order. */
  readonly fetched: number[]
  readonly openConnections: number
  /** Adds a message, and notifies the connections that wait. */
  add(path: string, text: string, at?: Date): number
  /** Deletes a message, and notifies the connections that wait. */
  remove(path: string, uid: number): void
  /** Closes all connections, as a restart does. */
  disconnect(): void
  stop(): void
}

/** The body of the request that connects an account on the server. */
export const accountOn = ({ port }: Pick<ImapServer, 'port'>, changes: object = {}) => ({
  kind: 'imap',
  email_address: 'ada@lovelace.org',
  settings: { host: '127.0.0.1', port, security: 'none', user: 'ada@lovelace.org' },
  secret: { password: 'secret' },
  sharing: 'everything',
  history_days: null,
  ...changes,
})

interface Session {
  pending: string
  isSignedIn: boolean
  selected: string | undefined
  /** How many messages the connection knows in the selected folder. */
  exists: number
  idleTag: string | undefined
  /** The tag of AUTHENTICATE, whose next line has the password. */
  plainTag: string | undefined
  /** The message of an APPEND that arrives. */
  appended: { readonly tag: string; readonly path: string; readonly size: number } | undefined
}

type Connection = Socket<Session>

export function startImapServer(password = 'secret'): ImapServer {
  const folders = new Map<string, ImapFolder>()
  const connections = new Set<Connection>()
  const state = {
    password,
    token: '',
    mechanism: 'XOAUTH2' as ImapServer['mechanism'],
    refusal: '[AUTHENTICATIONFAILED] Wrong user or password.',
    hasIdle: true,
    messagesUntilCut: Number.POSITIVE_INFINITY,
    onAppend: () => Promise.resolve(),
  }
  const broken = new Set<number>()
  const fetched: number[] = []
  const brokenTexts = new Set<number>()
  const fetchedTexts: number[] = []
  const folder = (path: string, specialUse: string) =>
    folders.set(path, { uidValidity: 1, uidNext: 1, specialUse, messages: [] })
  for (const [path, use] of [['INBOX', ''], ['Sent', '\\Sent'], ['Archive', '\\Archive'], ['Trash', '\\Trash'], ['Projects', '']] as const) folder(path, use) // prettier-ignore

  const notify = (path: string, line: (folder: ImapFolder) => string) => {
    const found = folders.get(path)
    for (const connection of connections)
      if (found !== undefined && connection.data.idleTag !== undefined && connection.data.selected === path) {
        connection.data.exists = found.messages.length
        connection.write(line(found))
      }
  }

  const server: ImapServer = Object.assign(state, {
    port: 0,
    folders,
    broken,
    fetched,
    brokenTexts,
    fetchedTexts,
    get openConnections() {
      return connections.size
    },
    add(path: string, text: string, at = new Date()) {
      const target = folders.get(path) as ImapFolder // a folder of this server
      const uid = target.uidNext++
      target.messages.push({ uid, text, at })
      notify(path, ({ messages }) => `* ${messages.length} EXISTS\r\n`)
      return uid
    },
    remove(path: string, uid: number) {
      const target = folders.get(path) as ImapFolder // a folder of this server
      const index = target.messages.findIndex((each) => each.uid === uid)
      target.messages.splice(index, 1)
      notify(path, () => `* ${index + 1} EXPUNGE\r\n`)
    },
    disconnect() {
      for (const connection of connections) connection.end()
    },
    stop: () => listener.stop(true),
  })

  function signIn(connection: Connection, tag: string, given: string): string {
    connection.data.isSignedIn = given === server.password || (given !== '' && given === server.token)
    return connection.data.isSignedIn ? `${tag} OK Signed in\r\n` : `${tag} NO ${server.refusal}\r\n`
  }

  function fetch(connection: Connection, tag: string, set: string, items: string): string {
    const sections = [...items.matchAll(/BODY\.PEEK\[([\d.]+)\]<0\.(\d+)>/g)]
    const { messages } = folders.get(connection.data.selected ?? '') ?? { messages: [] }
    let answer = ''
    for (const [index, { uid, text }] of messages.entries()) {
      if (!includes(set, uid)) continue
      if (broken.has(uid) || (sections.length > 0 && brokenTexts.has(uid)) || server.messagesUntilCut-- <= 0) {
        connection.write(answer)
        connection.end()
        return ''
      }
      if (sections.length > 0) {
        fetchedTexts.push(uid)
        const parts = sections.map(([, section = '', length]) => {
          const part = sectionOf(text, section).slice(0, Number(length))
          return `BODY[${section}]<0> {${Buffer.byteLength(part)}}\r\n${part}`
        })
        answer += `* ${index + 1} FETCH (UID ${uid} ${parts.join(' ')})\r\n`
        continue
      }
      const structure = items.includes('BODYSTRUCTURE') ? ` BODYSTRUCTURE ${bodyStructure(text)}` : ''
      if (structure === '') fetched.push(uid)
      const headers = `${text.split('\r\n\r\n')[0]}\r\n\r\n`
      answer += `* ${index + 1} FETCH (UID ${uid} FLAGS (\\Seen)${structure} BODY[HEADER.FIELDS (FROM)] {${Buffer.byteLength(headers)}}\r\n${headers})\r\n`
    }
    return `${answer}${tag} OK Done\r\n`
  }

  function search({ data }: Connection, words: readonly string[]): string {
    const { messages } = folders.get(data.selected ?? '') ?? { messages: [] }
    const set = words.includes('UID') ? (words[words.indexOf('UID') + 1] ?? '') : '1:*'
    const since = words.includes('SINCE') ? Date.parse(words[words.indexOf('SINCE') + 1] ?? '') : 0
    const before = words.includes('BEFORE')
      ? Date.parse(words[words.indexOf('BEFORE') + 1] ?? '')
      : Number.POSITIVE_INFINITY
    const header = words.indexOf('HEADER')
    const hasHeader = (text: string) => header === -1 || text.includes(`${words[header + 2]}`)
    return messages.filter(({ text }) => hasHeader(text)).filter(({ uid, at }) => includes(set, uid) && at.getTime() >= since && at.getTime() < before).map(({ uid }) => uid).join(' ') // prettier-ignore
  }

  function select({ data }: Connection, tag: string, path: string): string {
    const found = folders.get(path)
    if (found === undefined) return `${tag} NO [NONEXISTENT] There is no such folder.\r\n`
    data.selected = path
    data.exists = found.messages.length
    return `* FLAGS (\\Seen)\r\n* ${found.messages.length} EXISTS\r\n* 0 RECENT\r\n* OK [UIDVALIDITY ${found.uidValidity}] Valid\r\n* OK [UIDNEXT ${found.uidNext}] Next\r\n${tag} OK [READ-ONLY] Done\r\n`
  }

  /** What has arrived since the folder was selected. */
  function arrivedSince(data: Session): string {
    const count = folders.get(data.selected ?? '')?.messages.length ?? 0
    if (count <= data.exists) return ''
    data.exists = count
    return `* ${count} EXISTS\r\n`
  }

  const list = (command: string) =>
    [...folders].map(([path, { specialUse }]) => `* ${command} (${specialUse}) "/" "${path}"\r\n`).join('')

  function answerTo(connection: Connection, line: string): string {
    const { data } = connection
    if (data.plainTag !== undefined) {
      const text = Buffer.from(line, 'base64').toString()
      const [, , given = tokenIn(text) ?? ''] = text.split('\0')
      const tag = data.plainTag
      data.plainTag = undefined
      return signIn(connection, tag, given)
    }
    if (line === 'DONE') {
      const tag = data.idleTag
      data.idleTag = undefined
      return `${tag} OK Done\r\n`
    }
    const words = line.split(' ').map((word) => word.replace(/^"(.*)"$/, '$1'))
    const [tag = '', command = '', argument = ''] = words
    const done = `${tag} OK Done\r\n`
    switch (command.toUpperCase()) {
      case 'CAPABILITY':
        return `* CAPABILITY IMAP4rev1 SPECIAL-USE UNSELECT AUTH=PLAIN${server.token === '' ? '' : ` AUTH=${server.mechanism}`}${server.hasIdle ? ' IDLE' : ''}\r\n${done}`
      case 'LOGIN':
        return signIn(connection, tag, words[3] ?? '')
      case 'AUTHENTICATE':
        if (argument !== 'PLAIN' && argument !== server.mechanism) return `${tag} NO Unknown mechanism\r\n`
        data.plainTag = tag
        return '+ \r\n'
      case 'LIST':
        return `${argument === '' && words[3] === '' ? '* LIST (\\Noselect) "/" ""\r\n' : list('LIST')}${done}`
      case 'LSUB':
        return `${list('LSUB')}${done}`
      case 'SELECT':
      case 'EXAMINE':
        return select(connection, tag, argument)
      case 'STATUS': {
        const found = folders.get(argument)
        return `* STATUS "${argument}" (UIDNEXT ${found?.uidNext ?? 1})\r\n${done}`
      }
      case 'IDLE':
        data.idleTag = tag
        return `+ idling\r\n${arrivedSince(data)}`
      case 'UID':
        return argument === 'FETCH'
          ? fetch(connection, tag, words[3] ?? '', line)
          : `* SEARCH ${search(connection, words.slice(2))}\r\n${done}`
      // Its result has UIDs instead of sequence numbers, so clients may only count it.
      case 'SEARCH':
        return `* SEARCH ${search(connection, words.slice(2))}\r\n${done}`
      case 'APPEND':
        data.appended = { tag, path: argument, size: Number(/\{(\d+)\}$/.exec(line)?.[1]) }
        return '+ Go on\r\n'
      case 'LOGOUT':
        return `* BYE\r\n${done}`
      default:
        return done
    }
  }

  const listener = Bun.listen<Session>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(connection) {
        connection.data = {
          pending: '',
          isSignedIn: false,
          selected: undefined,
          exists: 0,
          idleTag: undefined,
          plainTag: undefined,
          appended: undefined,
        }
        connections.add(connection)
        connection.write(
          `* OK [CAPABILITY IMAP4rev1 SPECIAL-USE UNSELECT AUTH=PLAIN${server.token === '' ? '' : ` AUTH=${server.mechanism}`}${server.hasIdle ? ' IDLE' : ''}] Ready\r\n`,
        )
      },
      close(connection) {
        connections.delete(connection)
      },
      data(connection, bytes) {
        connection.data.pending += bytes.toString()
        for (;;) {
          const { pending, appended } = connection.data
          const end = appended === undefined ? pending.indexOf('\r\n') : appended.size
          if (end === -1 || pending.length < end + 2) return
          connection.data.pending = pending.slice(end + 2)
          const text = pending.slice(0, end)
          if (appended === undefined) connection.write(answerTo(connection, text))
          else {
            connection.data.appended = undefined
            server.add(appended.path, text)
            void server.onAppend().then(() => connection.write(`${appended.tag} OK Appended\r\n`))
          }
        }
      },
    },
  })
  return Object.assign(server, { port: listener.port })
}

/** Whether a set such as `1:3,7` has the UID. */
const includes = (set: string, uid: number): boolean =>
  set.split(',').some((range) => {
    const [from = '', to = from] = range.split(':')
    const end = to === '*' ? Number.POSITIVE_INFINITY : Number(to)
    return uid >= Math.min(Number(from), end) && uid <= Math.max(Number(from), end)
  })

/** The token of XOAUTH2 and OAUTHBEARER. */
const tokenIn = (text: string): string | undefined => text.split('auth=Bearer ')[1]?.split('\u0001')[0]
