/** A small SMTP server of a test, with AUTH PLAIN. It keeps what it accepts, and can be told to refuse or to break off. */

import type { Socket } from 'bun'

export interface SmtpMessage {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body as they were sent. */
  readonly text: string
}

export interface SmtpServer {
  readonly port: number
  readonly accepted: SmtpMessage[]
  password: string
  /** The access token that is accepted, with the mechanism of OAuth 2 that the server has; empty for none. */
  token: string
  mechanism: 'XOAUTH2' | 'OAUTHBEARER'
  /** The answer to the end of a message. Without a text, the connection is closed instead. */
  answer: string
  /** The answers to recipients, by their address. */
  readonly toRecipient: Map<string, string>
  /** How often a client has signed in. */
  signIns: number
  /** Runs before the answer to a step. With `drop`, the server closes the connection, and ignores what has arrived behind the step. */
  onStep: (step: SmtpStep) => Promise<StepResult> | StepResult
  stop(): void
}

/** A command, the first line of a message, or the dot at its end. */
export type SmtpStep = 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'first line' | 'end'
type StepResult = 'drop' | undefined

interface Session {
  pending: string
  from: string
  to: string[]
  /** The lines of the message that arrives; undefined before DATA. */
  lines: string[] | undefined
  isDropped: boolean
  /** Resolves when the lines that came are answered. */
  answered: Promise<void>
}

type Connection = Socket<Session>

export function startSmtpServer(password = 'secret'): SmtpServer {
  const accepted: SmtpMessage[] = []
  const toRecipient = new Map<string, string>()
  const state = {
    token: '',
    mechanism: 'XOAUTH2' as SmtpServer['mechanism'],
    password,
    answer: '250 Accepted',
    signIns: 0,
    onStep: (): Promise<StepResult> | StepResult => undefined,
  }

  function stepOf({ lines }: Session, line: string): SmtpStep | undefined {
    const word = line.split(' ')[0]?.toUpperCase()
    if (lines === undefined) return COMMANDS.find((command) => command === word)
    if (line === '.') return 'end'
    return lines.length === 0 ? 'first line' : undefined
  }

  function answerTo(connection: Connection, line: string): string {
    const { data } = connection
    if (data.lines !== undefined) {
      if (line !== '.') {
        data.lines.push(line.replace(/^\.\./, '.'))
        return ''
      }
      const message = { from: data.from, to: data.to, text: data.lines.join('\r\n') }
      data.lines = undefined
      if (server.answer.startsWith('250') || server.answer === '') accepted.push(message)
      if (server.answer !== '') return `${server.answer}\r\n`
      connection.end()
      return ''
    }
    const word = line.split(' ')[0]?.toUpperCase()
    switch (word) {
      case 'EHLO':
        return `250-test\r\n250-AUTH PLAIN${server.token === '' ? '' : ` ${server.mechanism}`}\r\n250 SIZE 50000000\r\n`
      case 'AUTH': {
        server.signIns++
        const isKnown = server.token === '' || line.split(' ')[1] === server.mechanism
        if (!isKnown) return '504 5.5.4 Unrecognized authentication type\r\n'
        const text = Buffer.from(line.split(' ')[2] ?? '', 'base64').toString()
        const [, , given = tokenIn(text) ?? ''] = text.split('\0')
        return given === (server.token === '' ? server.password : server.token)
          ? '235 Signed in\r\n'
          : '535 5.7.8 Wrong user or password.\r\n'
      }
      case 'MAIL':
        data.from = /<(.*?)>/.exec(line)?.[1] ?? ''
        data.to = []
        return '250 Go on\r\n'
      case 'RCPT': {
        const address = /<(.*?)>/.exec(line)?.[1] ?? ''
        const answer = toRecipient.get(address) ?? '250 Go on'
        if (answer.startsWith('250')) data.to.push(address)
        return `${answer}\r\n`
      }
      case 'DATA':
        data.lines = []
        return '354 Go on\r\n'
      case 'QUIT':
        return '221 Bye\r\n'
      default:
        return '250 Done\r\n'
    }
  }

  const listener = Bun.listen<Session>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(connection) {
        connection.data = {
          pending: '',
          from: '',
          to: [],
          lines: undefined,
          isDropped: false,
          answered: Promise.resolve(),
        }
        connection.write('220 test\r\n')
      },
      data(connection, bytes) {
        const lines = (connection.data.pending + bytes.toString()).split('\r\n')
        connection.data.pending = lines.pop() ?? ''
        connection.data.answered = connection.data.answered.then(async () => {
          for (const line of lines) {
            if (connection.data.isDropped) return
            const step = stepOf(connection.data, line)
            const answer = answerTo(connection, line)
            if (step !== undefined) connection.data.isDropped = (await server.onStep(step)) === 'drop'
            if (connection.data.isDropped) connection.end()
            else if (answer !== '') connection.write(answer)
          }
        })
      },
    },
  })
  const server: SmtpServer = Object.assign(state, {
    port: listener.port,
    accepted,
    toRecipient,
    stop: () => listener.stop(true),
  })
  return server
}

const COMMANDS = ['EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA'] as const

/** The token of XOAUTH2 and OAUTHBEARER. */
const tokenIn = (text: string): string | undefined => text.split('auth=Bearer ')[1]?.split('\u0001')[0]
