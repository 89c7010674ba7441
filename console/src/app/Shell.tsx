import { AppShell } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { ErrorBoundary } from '../components/feedback/ErrorBoundary.tsx'
import { LinesSkeleton } from '../components/feedback/Loaded.tsx'
import type { Me } from '../lib/api/contract.ts'
import { Header } from './Header.tsx'
import { Menu } from './Menu.tsx'
import { NotFoundPage } from './NotFoundPage.tsx'
import { PAGES } from './pages.tsx'
import { useShortcuts } from './use-shortcuts.ts'
import classes from './Shell.module.css'

// Not needed for the first paint.
const Notifications = lazy(() => import('@mantine/notifications').then((m) => ({ default: m.Notifications })))
const ShortcutHelp = lazy(() => import('./ShortcutHelp.tsx').then((m) => ({ default: m.ShortcutHelp })))

/** Landmarks, menu, header and the current page. */
export function Shell({ me }: { readonly me: Me }) {
  const [menuOpen, menu] = useDisclosure()
  const [helpOpen, help] = useDisclosure()
  const [path] = useLocation()
  const shortcuts = useShortcuts(me.role, help.toggle)
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 228, breakpoint: 'sm', collapsed: { mobile: !menuOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <AppShell.Header className={classes.header}>
        <Header me={me} menuOpen={menuOpen} onMenu={menu.toggle} onHelp={help.open} />
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label="Main">
        <Menu role={me.role} onLeave={menu.close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <ErrorBoundary key={path}>
          <Suspense fallback={<LinesSkeleton />}>
            <Switch>
              {PAGES.map(([pattern, component]) => (
                <Route key={pattern} path={pattern} component={component} />
              ))}
              <Route component={NotFoundPage} />
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </AppShell.Main>
      <Suspense>
        <Notifications position="bottom-right" />
        {helpOpen && <ShortcutHelp onClose={help.close} shortcuts={shortcuts} />}
      </Suspense>
    </AppShell>
  )
}
