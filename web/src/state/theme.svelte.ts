/** The theme: light, dark, or that of the system. `public/theme.js` applies the stored setting before the first paint. */

export type Theme = 'system' | 'light' | 'dark'

const STORAGE_KEY = 'theme'

const isTheme = (text: string | null): text is Theme => text === 'light' || text === 'dark'

class ThemeSetting {
  chosen = $state<Theme>('system')

  constructor() {
    const stored = localStorage.getItem(STORAGE_KEY)
    if (isTheme(stored)) this.chosen = stored
  }

  choose(theme: Theme): void {
    this.chosen = theme
    if (theme === 'system') {
      localStorage.removeItem(STORAGE_KEY)
      delete document.documentElement.dataset.theme
    } else {
      localStorage.setItem(STORAGE_KEY, theme)
      document.documentElement.dataset.theme = theme
    }
  }
}

export const theme = new ThemeSetting()
