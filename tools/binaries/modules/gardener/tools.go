//go:build tools

package tools

import (
	_ "github.com/gardener/gardener/cmd/gardener-apiserver"
	_ "github.com/gardener/gardener/cmd/gardener-controller-manager"
)
