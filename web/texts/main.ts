/**
 * Writes the texts of the console to the message files and lists those without a translation: `bun run web:texts`. Messages of
 * texts that no longer exist are deleted.
 */

import { LANGUAGES } from '#vocabulary/languages'
import { checkMessages, updateMessages } from './check'
import { messagesFile, parseMessages, renderMessages } from './messages'
import { readTexts } from './sources'

const texts = await readTexts()
for (const language of LANGUAGES.filter((language) => language !== 'en')) {
  const file = Bun.file(messagesFile(language))
  const messages = updateMessages(texts, parseMessages((await file.exists()) ? await file.text() : ''))
  await file.write(renderMessages(language, messages))
  const problems = checkMessages(texts, messages)
  for (const problem of problems) console.log(problem)
  console.log(`${language}: ${messages.size} messages, ${problems.length} to translate or to correct`)
}
