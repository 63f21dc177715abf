/** Sends emails over an SMTP server. Without a server, prints them to the log for the operator. See docs/decisions/sign-in.md. */

import { createTransport } from 'nodemailer'

export interface Email {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface Mailer {
  /** False when emails are only printed. */
  readonly isDelivered: boolean
  /** Rejects when the mail server does not accept the email. */
  send(email: Email): Promise<void>
  close(): void
}

const TIMEOUT_MS = 20_000

/** `url` is `smtp://user:password@host:587` or `smtps://…`. Without it, emails are printed. */
export function createMailer(url: string | undefined, from: string, print: (line: string) => void): Mailer {
  if (url === undefined) return createPrintingMailer(print)
  const transport = createTransport(
    { url, connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
    { from },
  )
  return {
    isDelivered: true,
    send: async (email) => {
      await transport.sendMail({ ...email })
    },
    close: () => transport.close(),
  }
}

const createPrintingMailer = (print: (line: string) => void): Mailer => ({
  isDelivered: false,
  send: async ({ to, subject, text }) => print(`No mail server is set, so hand this to ${to}: ${subject}\n${text}`),
  close() {},
})
