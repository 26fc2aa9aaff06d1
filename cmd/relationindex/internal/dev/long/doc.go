// Package dev tests dev, demo and jobs as whole programs. Each test starts a system of its own.
package dev
