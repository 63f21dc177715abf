import { afterEach, describe, expect, test } from 'bun:test'
import { createMailer } from './send-email'

const email = {
  to: 'ada@example.com',
  subject: 'Grüße\r\nBcc: eve@example.com',
  text: 'Open https://crm.example/x/y.',
}

interface Post {
  readonly url: string
  /** Returns everything that clients sent to the server. */
  readonly heard: () => string
}

const open: { stop(force: boolean): void }[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.stop(true)
})

/** A minimal SMTP server. */
function postOffice(toRecipient = '250 ok'): Post {
  let heard = ''
  let isLetter = false
  const answer = (line: string): string => {
    if (isLetter) {
      isLetter = line !== '.'
      return isLetter ? '' : '250 taken\r\n'
    }
    const [word = ''] = line.toUpperCase().split(' ')
    isLetter = word === 'DATA'
    const answers: Record<string, string> = { DATA: '354 go on', RCPT: toRecipient, QUIT: '221 bye' }
    return `${answers[word] ?? '250 ok'}\r\n`
  }
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => void socket.write('220 post\r\n'),
      data(socket, bytes) {
        heard += bytes.toString()
        for (const line of bytes.toString().split('\r\n').slice(0, -1)) socket.write(answer(line))
      },
    },
  })
  open.push(server)
  return { url: `smtp://127.0.0.1:${server.port}`, heard: () => heard }
}

describe('createMail', () => {
  test('sends emails to the mail server, from the configured sender', async () => {
    const { url, heard } = postOffice()
    const mail = createMailer(url, 'crm@example.com', () => {})
    await mail.send(email)
    mail.close()
    expect(mail.isDelivered).toBe(true)
    expect(heard()).toContain('MAIL FROM:<crm@example.com>')
    expect(heard()).toContain('RCPT TO:<ada@example.com>')
    expect(heard()).toContain('Open https://crm.example/x/y.')
    expect(heard()).not.toContain('\r\nBcc')
  })

  test('sends HTML with its pictures, and the id of the email', async () => {
    const { url, heard } = postOffice()
    const mail = createMailer(url, 'crm@example.com', () => {})
    const picture = { cid: 'chart', fileName: 'chart.png', content: new Uint8Array([1, 2, 3]) }
    const html = '<img src="cid:chart">'
    await mail.send({ ...email, html, pictures: [picture], messageId: '<one@example.com>' })
    mail.close()
    for (const part of ['multipart/alternative', 'Open https://crm.example/x/y.', html, 'Content-ID: <chart>', 'AQID'])
      expect(heard()).toContain(part)
    expect(heard()).toContain('Content-Disposition: inline; filename=chart.png')
    expect(heard()).toContain('Message-ID: <one@example.com>')
  })

  test('rejects when the server refuses the email or cannot be reached', async () => {
    await expect(createMailer(postOffice('550 no').url, 'crm@example.com', () => {}).send(email)).rejects.toThrow('550')
    await expect(createMailer('smtp://127.0.0.1:1', 'crm@example.com', () => {}).send(email)).rejects.toThrow()
  })

  test('prints emails for the operator when no server is configured', async () => {
    const lines: string[] = []
    const mail = createMailer(undefined, 'crm@example.com', (line) => lines.push(line))
    await mail.send(email)
    expect([mail.isDelivered, lines.length]).toEqual([false, 1])
    expect(lines[0]).toContain('Open https://crm.example/x/y.')
  })
})
