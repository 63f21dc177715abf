/** Letters to people: handed to an SMTP server, or where there is none, told to the operator in the log. Decision 0044. */

import { createTransport } from 'nodemailer'

export interface Letter {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface Mail {
  /** Whether letters reach those they are written to. */
  readonly isDelivered: boolean
  /** Rejects when the server does not take it. */
  send(letter: Letter): Promise<void>
  close(): void
}

const PATIENCE_MS = 20_000

/** `url` is `smtp://user:password@host:587` or `smtps://…`; without one, letters are printed. */
export function createMail(url: string | undefined, from: string, print: (line: string) => void): Mail {
  if (url === undefined) return printed(print)
  const transport = createTransport(
    { url, connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS },
    { from },
  )
  return {
    isDelivered: true,
    send: async (letter) => {
      await transport.sendMail({ ...letter })
    },
    close: () => transport.close(),
  }
}

const printed = (print: (line: string) => void): Mail => ({
  isDelivered: false,
  send: async ({ to, subject, text }) => print(`No mail server is set, so hand this to ${to}: ${subject}\n${text}`),
  close() {},
})
