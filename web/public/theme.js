// Before the first paint, so that nobody who chose a theme sees the other one flash by.
var theme = localStorage.getItem('theme')
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
